// Gradients of GEGLU, y = gelu(a) * b, where a and b are the halves of each row, FP16, by the error function or tanh.
#include <cuda_fp16.h>

struct alignas(2 * VEC) Pack { __half v[VEC]; };

__device__ __forceinline__ void gelu_both(float x, float& y, float& dy)
{
#if EXACT
    const float cdf = 0.5f * (1.0f + erff(x * 0.70710678f));
    y = x * cdf;
    dy = cdf + x * 0.39894228f * __expf(-0.5f * x * x);
#else
    const float u = 0.79788456f * (x + 0.044715f * x * x * x);
    const float t = 1.0f - 2.0f / (1.0f + __expf(2.0f * u));
    y = 0.5f * x * (1.0f + t);
    dy = 0.5f * (1.0f + t) + 0.5f * x * (1.0f - t * t) * 0.79788456f * (1.0f + 0.134145f * x * x);
#endif
}

extern "C" __global__ void geglu_grad_half(const Pack* __restrict__ ab, const Pack* __restrict__ grad,
                                           Pack* __restrict__ out, int packs, int total)
{
    const int i = blockIdx.x * THREADS + threadIdx.x;
    if (i >= total) return;
    const int row = i / packs, column = i - row * packs;
    const size_t at = (size_t)row * 2 * packs + column;
    const Pack a = ab[at], b = ab[at + packs], g = grad[i];
    Pack da, db;
#pragma unroll
    for (int k = 0; k < VEC; ++k) {
        float y, dy;
        gelu_both(__half2float(a.v[k]), y, dy);
        const float gg = __half2float(g.v[k]);
        da.v[k] = __float2half(gg * __half2float(b.v[k]) * dy);
        db.v[k] = __float2half(gg * y);
    }
    out[at] = da;
    out[at + packs] = db;
}
