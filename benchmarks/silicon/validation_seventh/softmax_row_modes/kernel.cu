// Mode 0: row in shared memory; 1: row read three times; 2: online sums, row read twice.
constexpr int WARPS = THREADS / 32, PER = COLS / THREADS;

extern "C" __global__ void __launch_bounds__(THREADS) softmax_row_modes(const float* __restrict__ x, float* __restrict__ y)
{
    __shared__ float maxima[WARPS], sums[WARPS];
#if MODE == 0
    __shared__ float row[COLS];
#define AT(i) row[i]
#else
    const float* row = x + (size_t)blockIdx.x * COLS;
#define AT(i) row[i]
#endif
    float* to = y + (size_t)blockIdx.x * COLS;
    float m = -3.0e38f, s = 0.0f;
#pragma unroll 4
    for (int k = 0; k < PER; ++k) {
        const int i = threadIdx.x + k * THREADS;
#if MODE == 0
        const float v = x[(size_t)blockIdx.x * COLS + i];
        row[i] = v;
        m = fmaxf(m, v);
#elif MODE == 1
        m = fmaxf(m, AT(i));
#else
        const float v = AT(i), n = fmaxf(m, v);
        s = s * __expf(m - n) + __expf(v - n);
        m = n;
#endif
    }
    float top = m;
#pragma unroll
    for (int d = 16; d; d >>= 1) top = fmaxf(top, __shfl_xor_sync(~0u, top, d));
    if (threadIdx.x % 32 == 0) maxima[threadIdx.x / 32] = top;
    __syncthreads();
#pragma unroll
    for (int w = 0; w < WARPS; ++w) top = fmaxf(top, maxima[w]);
#if MODE == 2
    s *= __expf(m - top);
#else
#pragma unroll 4
    for (int k = 0; k < PER; ++k) s += __expf(AT(threadIdx.x + k * THREADS) - top);
#endif
#pragma unroll
    for (int d = 16; d; d >>= 1) s += __shfl_xor_sync(~0u, s, d);
    if (threadIdx.x % 32 == 0) sums[threadIdx.x / 32] = s;
    __syncthreads();
    s = 0.0f;
#pragma unroll
    for (int w = 0; w < WARPS; ++w) s += sums[w];
    const float inverse = 1.0f / s;
#pragma unroll 4
    for (int k = 0; k < PER; ++k) {
        const int i = threadIdx.x + k * THREADS;
        to[i] = __expf(AT(i) - top) * inverse;
    }
}
