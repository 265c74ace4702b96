// Each thread adds up a window of ROWS x COLUMNS words around its place in an image, as a filter does. Every block has its own
// place (FRESH 1), or all have the same one, which is in L1 after a while (0). STEP words lie between the columns of a window:
// with 32 every load takes one whole line. With LATER it loads each row's first word and waits for them before it goes on. ARITHMETIC operations go with each load.
extern "C" __global__ void row_window(const float* __restrict__ image, float* __restrict__ out, int pitch) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    const float* at = image + (FRESH ? y : (int)threadIdx.y) * pitch + (FRESH ? x : (int)threadIdx.x);
    float sum = 0.0f;
    if (LATER) {
        float first = 0.0f;
#pragma unroll
        for (int i = 0; i < ROWS; ++i) first += __ldca(at + i * pitch) + __ldca(at + i * pitch + (COLUMNS - 1) * STEP);
        at += first == 123456.0f;
    }
#pragma unroll
    for (int i = 0; i < ROWS; ++i)
#pragma unroll
        for (int j = 0; j < COLUMNS; ++j) {
            float value = __ldca(at + i * pitch + j * STEP);
#pragma unroll
            for (int k = 0; k < ARITHMETIC; ++k) value = fmaf(value, 1.5f, 0.25f);
            sum += value;
        }
    if (STORE || sum == 123456.0f) out[y * (gridDim.x * blockDim.x) + x] = sum;
}
