// AMSGrad with bf16 moments and FP32 parameters, in place.
#include <cuda_bf16.h>
struct alignas(VEC * 4) Floats { float v[VEC]; };
struct alignas(VEC * 2) Packs { __nv_bfloat16 v[VEC]; };

extern "C" __global__ void __launch_bounds__(THREADS)
amsgrad_bf16_states_f32(Floats* __restrict__ param, const Floats* __restrict__ grad, Packs* __restrict__ first, Packs* __restrict__ second,
                        Packs* __restrict__ greatest, float rate, int count)
{
    for (int i = blockIdx.x * THREADS + threadIdx.x; i < count / VEC; i += gridDim.x * THREADS) {
        Floats p = param[i];
        const Floats g = grad[i];
        Packs m = first[i], v = second[i], w = greatest[i];
#pragma unroll
        for (int j = 0; j < VEC; ++j) {
            const float a = 0.9f * __bfloat162float(m.v[j]) + 0.1f * g.v[j];
            const float b = 0.999f * __bfloat162float(v.v[j]) + 0.001f * g.v[j] * g.v[j];
            const float c = fmaxf(b, __bfloat162float(w.v[j]));
            const float step = FAST ? __fdividef(a, __fsqrt_rn(c) + 1.0e-8f) : a / (sqrtf(c) + 1.0e-8f);
            p.v[j] = p.v[j] * (1.0f - 0.01f * rate) - rate * step;
            m.v[j] = __float2bfloat16(a);
            v.v[j] = __float2bfloat16(b);
            w.v[j] = __float2bfloat16(c);
        }
        param[i] = p;
        first[i] = m;
        second[i] = v;
        greatest[i] = w;
    }
}
