// Five-point stencil, ROWS outputs down a column a thread.
extern "C" __global__ void stencil_2d(const float* __restrict__ input, float* __restrict__ out, int width, int height) {
    int x = blockIdx.x * BLOCK_X + threadIdx.x;
    int first = (blockIdx.y * BLOCK_Y + threadIdx.y) * ROWS;
    if (x < 1 || x >= width - 1) return;
#pragma unroll
    for (int k = 0; k < ROWS; ++k) {
        int y = first + k;
        if (y < 1 || y >= height - 1) continue;
        int i = y * width + x;
        out[i] = 0.5f * input[i] + 0.125f * (input[i - 1] + input[i + 1] + input[i - width] + input[i + width]);
    }
}
