// Filter of (2 RADIUS + 1)^2 weights in constant memory over a padded image.
// A thread computes ROWS_EACH results below one another and reuses the rows that they share.
__constant__ float weights[49] = {
    0.01f, 0.02f, 0.03f, 0.04f, 0.03f, 0.02f, 0.01f,
    0.02f, 0.04f, 0.06f, 0.08f, 0.06f, 0.04f, 0.02f,
    0.03f, 0.06f, 0.09f, 0.12f, 0.09f, 0.06f, 0.03f,
    0.04f, 0.08f, 0.12f, 0.16f, 0.12f, 0.08f, 0.04f,
    0.03f, 0.06f, 0.09f, 0.12f, 0.09f, 0.06f, 0.03f,
    0.02f, 0.04f, 0.06f, 0.08f, 0.06f, 0.04f, 0.02f,
    0.01f, 0.02f, 0.03f, 0.04f, 0.03f, 0.02f, 0.01f};

extern "C" __global__ void filter_constant(const float* __restrict__ input, float* __restrict__ output) {
    constexpr int pitch = 2056, width = 2 * RADIUS + 1;
    int x = blockIdx.x * BLOCK_X + threadIdx.x, y = (blockIdx.y * 4 + threadIdx.y) * ROWS_EACH;
    float sum[ROWS_EACH] = {};
#pragma unroll
    for (int r = 0; r < ROWS_EACH + 2 * RADIUS; ++r)
#pragma unroll
        for (int c = 0; c < width; ++c) {
            float p = input[(y + r) * pitch + x + c];
#pragma unroll
            for (int i = 0; i < ROWS_EACH; ++i)
                if (r - i >= 0 && r - i < width) sum[i] = fmaf(p, weights[(r - i) * width + c], sum[i]);
        }
#pragma unroll
    for (int i = 0; i < ROWS_EACH; ++i) output[(y + i) * 2048 + x] = sum[i];
}
