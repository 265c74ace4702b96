// Softmax of FP16 rows; LANES threads a row in x, ROWS rows a block in y, eight numbers an access.
#include <cuda_fp16.h>
constexpr int V = COLS / (LANES * 8), WARPS = LANES / 32, U = KEPT ? V : 1;
struct alignas(16) Half8 { __half2 h[4]; };

template <bool MAX>
__device__ __forceinline__ float row_reduce(float v, float (*parts)[WARPS])
{
#pragma unroll
    for (int d = 16; d; d >>= 1) {
        const float other = __shfl_xor_sync(~0u, v, d);
        v = MAX ? fmaxf(v, other) : v + other;
    }
    if (WARPS > 1) {
        __syncthreads();
        if (threadIdx.x % 32 == 0) parts[threadIdx.y][threadIdx.x / 32] = v;
        __syncthreads();
        v = parts[threadIdx.y][0];
#pragma unroll
        for (int i = 1; i < WARPS; ++i) v = MAX ? fmaxf(v, parts[threadIdx.y][i]) : v + parts[threadIdx.y][i];
    }
    return v;
}

extern "C" __global__ void __launch_bounds__(LANES * ROWS)
softmax_f16_rows_stacked(const Half8* __restrict__ in, Half8* __restrict__ out)
{
    __shared__ float parts[ROWS][WARPS];
    const size_t row = (size_t)blockIdx.x * ROWS + threadIdx.y;
    const Half8* from = in + row * (COLS / 8) + threadIdx.x;
    Half8* to = out + row * (COLS / 8) + threadIdx.x;
    Half8 x[KEPT ? V : 1];
    float top = -1.0e30f;
#pragma unroll U
    for (int i = 0; i < V; ++i) {
        const Half8 p = from[i * LANES];
        if (KEPT) x[KEPT ? i : 0] = p;
#pragma unroll
        for (int j = 0; j < 4; ++j) {
            const float2 f = __half22float2(p.h[j]);
            top = fmaxf(top, fmaxf(f.x, f.y));
        }
    }
    top = row_reduce<true>(top, parts);
    float sum = 0.0f;
#pragma unroll U
    for (int i = 0; i < V; ++i) {
        const Half8 p = KEPT ? x[KEPT ? i : 0] : from[i * LANES];
#pragma unroll
        for (int j = 0; j < 4; ++j) {
            const float2 f = __half22float2(p.h[j]);
            sum += __expf(f.x - top) + __expf(f.y - top);
        }
    }
    const float by = 1.0f / row_reduce<false>(sum, parts);
#pragma unroll U
    for (int i = 0; i < V; ++i) {
        Half8 p = KEPT ? x[KEPT ? i : 0] : from[i * LANES];
#pragma unroll
        for (int j = 0; j < 4; ++j) {
            const float2 f = __half22float2(p.h[j]);
            p.h[j] = __floats2half2_rn(__expf(f.x - top) * by, __expf(f.y - top) * by);
        }
        to[i * LANES] = p;
    }
}
