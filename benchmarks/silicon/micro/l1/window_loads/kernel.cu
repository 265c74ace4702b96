// Loads of windows whose lines are on their way. Each thread adds up ROWS x COLUMNS words around its place in an image, row by
// row (ORDER 0) or column by column (1). FRESH: each block has its own place in the image, else all have the same one.
// SHARE: the warps of a block have windows a row apart, else each has its own rows. LANES 16: both halves of a warp
// load the same words, so that a load stays in one line.
extern "C" __global__ void window_loads(const float* __restrict__ image, float* __restrict__ out) {
    constexpr int pitch = 2304;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    const int row = (FRESH ? y : (int)threadIdx.y) * (SHARE ? 1 : ROWS);
    const float* at = image + (size_t)row * pitch + (FRESH ? blockIdx.x * 32 : 0) + threadIdx.x % LANES;
    float sum = 0.0f;
    if (ORDER == 0) {
#pragma unroll
        for (int i = 0; i < ROWS; ++i)
#pragma unroll
            for (int j = 0; j < COLUMNS; ++j) sum += __ldca(at + i * pitch + j);
    } else {
#pragma unroll
        for (int j = 0; j < COLUMNS; ++j)
#pragma unroll
            for (int i = 0; i < ROWS; ++i) sum += __ldca(at + i * pitch + j);
    }
    if (sum == 123456.0f) out[y] = sum;
}
