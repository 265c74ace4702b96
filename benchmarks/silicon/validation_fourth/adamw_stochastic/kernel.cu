// AdamW with everything in bf16; new weights and moments are rounded at random, by a hash of position and step, so that
// small updates are not lost.
#include <cuda_bf16.h>

struct alignas(2 * VEC) Pack { unsigned short v[VEC]; };

__device__ __forceinline__ float widen(unsigned short b) { return __uint_as_float((unsigned)b << 16); }
__device__ __forceinline__ unsigned short narrow(float f, unsigned random)
{
    return (unsigned short)((__float_as_uint(f) + (random & 0xffff)) >> 16);
}

extern "C" __global__ void adamw_stochastic(Pack* __restrict__ weights, const Pack* __restrict__ grads,
                                            Pack* __restrict__ momenta, Pack* __restrict__ variances, float rate,
                                            float decay, unsigned step, int packs)
{
    const int i = blockIdx.x * THREADS + threadIdx.x;
    if (i >= packs) return;
    Pack w = weights[i], m = momenta[i], v = variances[i];
    const Pack g = grads[i];
#pragma unroll
    for (int k = 0; k < VEC; ++k) {
        unsigned h = (i * VEC + k) * 0x9e3779b1u ^ step * 0x85ebca77u;
        h ^= h >> 15;
        h *= 0x2c1b3c6du;
        h ^= h >> 12;
        const float gg = widen(g.v[k]);
        const float mm = 0.9f * widen(m.v[k]) + 0.1f * gg;
        const float vv = 0.99f * widen(v.v[k]) + 0.01f * gg * gg;
        const float ww = widen(w.v[k]);
#if FAST
        const float update = __fdividef(mm, sqrtf(vv) + 1e-8f);
#else
        const float update = mm / (sqrtf(vv) + 1e-8f);
#endif
        w.v[k] = narrow(ww - rate * (update + decay * ww), h);
        m.v[k] = narrow(mm, h >> 8);
        v.v[k] = narrow(vv, h >> 16);
    }
    weights[i] = w;
    momenta[i] = m;
    variances[i] = v;
}
