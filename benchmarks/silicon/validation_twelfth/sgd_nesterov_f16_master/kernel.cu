// SGD with Nesterov momentum: FP16 gradients and model, FP32 master weights and momentum in place, gradients that are not finite skipped.
#include <cuda_fp16.h>
struct alignas(VEC * 4) Floats { float v[VEC]; };
struct alignas(VEC * 2) Halfs { __half v[VEC]; };

extern "C" __global__ void __launch_bounds__(THREADS)
sgd_nesterov_f16_master(const Halfs* __restrict__ grad, Floats* __restrict__ master, Floats* __restrict__ momentum, Halfs* __restrict__ model,
                        float rate, float unscale)
{
    const int start = blockIdx.x * THREADS * EACH + threadIdx.x;
#pragma unroll
    for (int e = 0; e < EACH; ++e) {
        const int i = start + e * THREADS;
        const Halfs g = grad[i];
        Floats w = master[i], m = momentum[i];
        Halfs out;
#pragma unroll
        for (int j = 0; j < VEC; ++j) {
            float d = __half2float(g.v[j]) * unscale + 1.0e-4f * w.v[j];
            d = isfinite(d) ? d : 0.0f;
            m.v[j] = 0.9f * m.v[j] + d;
            w.v[j] -= rate * (d + 0.9f * m.v[j]);
            out.v[j] = __float2half(w.v[j]);
        }
        master[i] = w;
        momentum[i] = m;
        model[i] = out;
    }
}
