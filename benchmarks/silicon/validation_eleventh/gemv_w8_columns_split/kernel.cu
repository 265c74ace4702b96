// y = x W with bytes W of 16,384 rows by 4,096 columns; a thread has VEC columns of a part of the rows.
struct alignas(VEC) Pack { signed char v[VEC]; };
constexpr int ROWS = 16384, COLS = 4096, PART = ROWS / SPLITS, WIDE = COLS / VEC;

extern "C" __global__ void __launch_bounds__(128)
gemv_w8_columns_split(const Pack* __restrict__ w, const float* __restrict__ x, const float* __restrict__ scale, float* __restrict__ y)
{
    __shared__ float xs[STAGED ? PART : 1];
    const int col = blockIdx.x * 128 + threadIdx.x, row0 = blockIdx.y * PART;
    if (STAGED) {
        for (int i = threadIdx.x; i < PART; i += 128) xs[STAGED ? i : 0] = x[row0 + i];
        __syncthreads();
    }
    float sum[VEC] = {};
    constexpr int U = UNROLL;
#pragma unroll U
    for (int r = 0; r < PART; ++r) {
        const Pack p = w[(size_t)(row0 + r) * WIDE + col];
        const float f = STAGED ? xs[STAGED ? r : 0] : x[row0 + r];
#pragma unroll
        for (int j = 0; j < VEC; ++j) sum[j] += f * p.v[j];
    }
#pragma unroll
    for (int j = 0; j < VEC; ++j) y[(size_t)blockIdx.y * COLS + col * VEC + j] = sum[j] * scale[col * VEC + j];
}
