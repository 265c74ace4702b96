// Lion: the sign of an interpolated momentum decides the step. LOOP runs a fixed grid over the array; otherwise each
// thread takes one group of VEC weights.
#include <cuda_bf16.h>
struct alignas(2 * VEC) Short { __nv_bfloat16 v[VEC]; };
struct alignas(VEC == 2 ? 8 : 16) Long { float v[VEC]; };

extern "C" __global__ void lion_master(Long* __restrict__ master, Short* __restrict__ momentum,
                                       const Short* __restrict__ grad, Short* __restrict__ weight, float rate)
{
    const int groups = 16777216 / VEC;
    for (int i = blockIdx.x * THREADS + threadIdx.x; i < groups; i += gridDim.x * THREADS) {
        Long w = master[i];
        Short m = momentum[i], out;
        const Short g = grad[i];
#pragma unroll
        for (int k = 0; k < VEC; ++k) {
            const float mf = __bfloat162float(m.v[k]), gf = __bfloat162float(g.v[k]);
            const float c = 0.9f * mf + 0.1f * gf;
            const float sign = c > 0.0f ? 1.0f : c < 0.0f ? -1.0f : 0.0f;
            w.v[k] = w.v[k] * (1.0f - 0.01f * rate) - rate * sign;
            m.v[k] = __float2bfloat16(0.99f * mf + 0.01f * gf);
            out.v[k] = __float2bfloat16(w.v[k]);
        }
        master[i] = w;
        momentum[i] = m;
        weight[i] = out;
        if (!LOOP) break;
    }
}
