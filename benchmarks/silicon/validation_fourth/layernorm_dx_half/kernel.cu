// Gradient of a layer norm with respect to its input, FP16, eight numbers an access, a block a row. Between the sums
// and the results the row stays in registers, or is read again.
#include <cuda_fp16.h>

constexpr int PACKS = HIDDEN / 8, EACH = PACKS / THREADS, WARPS = THREADS / 32;

struct alignas(16) Half8 { __half2 h[4]; };

__device__ __forceinline__ float2 sum_block(float2 v)
{
    __shared__ float2 part[WARPS];
#pragma unroll
    for (int d = 16; d > 0; d >>= 1) {
        v.x += __shfl_xor_sync(0xffffffff, v.x, d);
        v.y += __shfl_xor_sync(0xffffffff, v.y, d);
    }
    if (WARPS == 1) return v;
    if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = v;
    __syncthreads();
    v = part[0];
#pragma unroll
    for (int w = 1; w < WARPS; ++w) {
        v.x += part[w].x;
        v.y += part[w].y;
    }
    return v;
}

extern "C" __global__ void __launch_bounds__(THREADS)
layernorm_dx_half(const Half8* __restrict__ dy, const Half8* __restrict__ x, const Half8* __restrict__ weight,
                  const float* __restrict__ mean, const float* __restrict__ rstd, Half8* __restrict__ dx)
{
    const size_t first = (size_t)blockIdx.x * PACKS;
    const float mu = mean[blockIdx.x], rs = rstd[blockIdx.x];
    float2 sums = make_float2(0.0f, 0.0f);
#if !REREAD
    Half8 kept_g[EACH], kept_x[EACH];
#endif
#pragma unroll
    for (int i = 0; i < EACH; ++i) {
        const int at = i * THREADS + threadIdx.x;
        const Half8 g = dy[first + at], v = x[first + at], w = weight[at];
#if !REREAD
        kept_g[i] = g;
        kept_x[i] = v;
#endif
#pragma unroll
        for (int k = 0; k < 4; ++k) {
            const float2 gg = __half22float2(g.h[k]), vv = __half22float2(v.h[k]), ww = __half22float2(w.h[k]);
            const float a = gg.x * ww.x, b = gg.y * ww.y;
            sums.x += a + b;
            sums.y += a * (vv.x - mu) * rs + b * (vv.y - mu) * rs;
        }
    }
    sums = sum_block(sums);
    const float c1 = sums.x / HIDDEN, c2 = sums.y / HIDDEN;
#pragma unroll
    for (int i = 0; i < EACH; ++i) {
        const int at = i * THREADS + threadIdx.x;
#if REREAD
        const Half8 g = dy[first + at], v = x[first + at];
#else
        const Half8 g = kept_g[i], v = kept_x[i];
#endif
        const Half8 w = weight[at];
        Half8 out;
#pragma unroll
        for (int k = 0; k < 4; ++k) {
            const float2 gg = __half22float2(g.h[k]), vv = __half22float2(v.h[k]), ww = __half22float2(w.h[k]);
            out.h[k] = __floats2half2_rn(rs * (gg.x * ww.x - c1 - (vv.x - mu) * rs * c2),
                                         rs * (gg.y * ww.y - c1 - (vv.y - mu) * rs * c2));
        }
        dx[first + at] = out;
    }
}
