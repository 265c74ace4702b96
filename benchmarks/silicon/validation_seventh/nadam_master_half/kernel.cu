#include <cuda_fp16.h>
// NAdam with FP32 moments and master weights, FP16 gradients and a copy of the weights in FP16.
struct alignas(VEC * 4) Floats { float v[VEC]; };
struct alignas(VEC * 2) Halves { half v[VEC]; };

extern "C" __global__ void __launch_bounds__(THREADS)
nadam_master_half(const Halves* __restrict__ grad, Floats* __restrict__ master, Floats* __restrict__ m1,
                  Floats* __restrict__ m2, Halves* __restrict__ copy, float rate, float c1, float c2)
{
    const int first = blockIdx.x * THREADS * EACH + threadIdx.x;
#pragma unroll
    for (int e = 0; e < EACH; ++e) {
        const int i = first + e * THREADS;
        const Halves g = grad[i];
        Floats w = master[i], a = m1[i], b = m2[i];
        Halves h;
#pragma unroll
        for (int j = 0; j < VEC; ++j) {
            const float f = __half2float(g.v[j]);
            a.v[j] = 0.9f * a.v[j] + 0.1f * f;
            b.v[j] = 0.999f * b.v[j] + 0.001f * f * f;
            const float n = 0.9f * a.v[j] * c1 + 0.1f * f * c1;
            w.v[j] -= rate * (n / (sqrtf(b.v[j] * c2) + 1e-8f) + 0.01f * w.v[j]);
            h.v[j] = __float2half(w.v[j]);
        }
        master[i] = w;
        m1[i] = a;
        m2[i] = b;
        copy[i] = h;
    }
}
