// AdaBelief with gradients and weights in bf16 and FP32 master weights and states, in place.
#include <cuda_bf16.h>
struct alignas(VEC * 4) Pack { float v[VEC]; };
struct alignas(VEC * 2) Half { __nv_bfloat16 v[VEC]; };

extern "C" __global__ void __launch_bounds__(256)
adabelief_mixed_bf16(const Half* __restrict__ grad, Pack* __restrict__ master, Pack* __restrict__ mean, Pack* __restrict__ belief, Half* __restrict__ weight)
{
    const int first = blockIdx.x * 256 * EACH + threadIdx.x;
#pragma unroll
    for (int e = 0; e < EACH; ++e) {
        const int i = first + e * 256;
        const Half g = grad[i];
        Pack p = master[i], m = mean[i], s = belief[i];
        Half w;
#pragma unroll
        for (int j = 0; j < VEC; ++j) {
            const float d = __bfloat162float(g.v[j]);
            m.v[j] = 0.9f * m.v[j] + 0.1f * d;
            const float t = d - m.v[j];
            s.v[j] = 0.999f * s.v[j] + 0.001f * t * t + 1.0e-16f;
            const float mh = m.v[j] * 1.1f, sh = s.v[j] * 1.01f;
            const float step = FAST ? __fdividef(mh, __fsqrt_rn(sh) + 1.0e-8f) : mh / (sqrtf(sh) + 1.0e-8f);
            p.v[j] = p.v[j] * (1.0f - 1.0e-5f) - 1.0e-3f * step;
            w.v[j] = __float2bfloat16(p.v[j]);
        }
        master[i] = p;
        mean[i] = m;
        belief[i] = s;
        weight[i] = w;
    }
}
