// Softmax of FP16 rows with a running maximum and sum, a block a row. The row waits in shared memory for the second
// pass, or is read again.
#include <cuda_fp16.h>

constexpr int WARPS = THREADS / 32, PACKS = COLS / VEC;

struct alignas(2 * VEC) Pack { __half2 h[VEC / 2]; };

__device__ __forceinline__ void merge(float& m, float& s, float m2, float s2)
{
    const float top = fmaxf(m, m2);
    s = s * __expf(m - top) + s2 * __expf(m2 - top);
    m = top;
}

extern "C" __global__ void __launch_bounds__(THREADS)
softmax_online_half(const Pack* __restrict__ x, Pack* __restrict__ y)
{
#if CACHED
    __shared__ Pack kept[PACKS];
#endif
    __shared__ float tops[WARPS], sums[WARPS];
    const Pack* row = x + (size_t)blockIdx.x * PACKS;
    float m = -1e30f, s = 0.0f;
    for (int i = threadIdx.x; i < PACKS; i += THREADS) {
        const Pack p = row[i];
#if CACHED
        kept[i] = p;
#endif
        float2 f[VEC / 2];
        float top = m;
#pragma unroll
        for (int k = 0; k < VEC / 2; ++k) {
            f[k] = __half22float2(p.h[k]);
            top = fmaxf(top, fmaxf(f[k].x, f[k].y));
        }
        s *= __expf(m - top);
        m = top;
#pragma unroll
        for (int k = 0; k < VEC / 2; ++k) s += __expf(f[k].x - m) + __expf(f[k].y - m);
    }
#pragma unroll
    for (int d = 16; d > 0; d >>= 1)
        merge(m, s, __shfl_xor_sync(0xffffffff, m, d), __shfl_xor_sync(0xffffffff, s, d));
    if (threadIdx.x % 32 == 0) {
        tops[threadIdx.x / 32] = m;
        sums[threadIdx.x / 32] = s;
    }
    __syncthreads();
    m = tops[0];
    s = sums[0];
#pragma unroll
    for (int w = 1; w < WARPS; ++w) merge(m, s, tops[w], sums[w]);
    const float scale = 1.0f / s;
    for (int i = threadIdx.x; i < PACKS; i += THREADS) {
#if CACHED
        Pack p = kept[i];
#else
        Pack p = row[i];
#endif
#pragma unroll
        for (int k = 0; k < VEC / 2; ++k) {
            const float2 f = __half22float2(p.h[k]);
            p.h[k] = __floats2half2_rn(__expf(f.x - m) * scale, __expf(f.y - m) * scale);
        }
        y[(size_t)blockIdx.x * PACKS + i] = p;
    }
}
