// Tensor i has i + 1 chunks of 1,024 numbers and a learning rate; weights are copied to FP16.
#include <cuda_fp16.h>

constexpr int THREADS = 1024 / (VEC * EACH), TENSORS = 96;

struct alignas(VEC * 4 > 16 ? 16 : VEC * 4) Floats { float v[VEC]; };
struct alignas(VEC * 2) Halves { __half v[VEC]; };

extern "C" __global__ void __launch_bounds__(THREADS)
adam_chunks_half(const int* __restrict__ starts, const float* __restrict__ rates, const Halves* __restrict__ grad,
                 Floats* __restrict__ weight, Floats* __restrict__ first, Floats* __restrict__ second,
                 Halves* __restrict__ copy)
{
    const int chunk = blockIdx.x;
    int tensor;
#if SEARCHED
    int low = 0, high = TENSORS;
    while (high - low > 1) {
        const int middle = (low + high) / 2, i = starts[middle];
        if (i * (i + 1) / 2 <= chunk)
            low = middle;
        else
            high = middle;
    }
    tensor = low;
#else
    tensor = (int)((sqrtf(8.0f * chunk + 1.0f) - 1.0f) * 0.5f);
    if (tensor * (tensor + 1) / 2 > chunk) --tensor;
    if ((tensor + 1) * (tensor + 2) / 2 <= chunk) ++tensor;
#endif
    const float rate = 1e-4f * rates[tensor];
    int at = chunk * (1024 / VEC) + threadIdx.x;
#pragma unroll
    for (int e = 0; e < EACH; ++e, at += THREADS) {
        const Halves g = grad[at];
        Floats w = weight[at], m = first[at], v = second[at];
        Halves h;
#pragma unroll
        for (int k = 0; k < VEC; ++k) {
            const float x = __half2float(g.v[k]);
            m.v[k] = 0.9f * m.v[k] + 0.1f * x;
            v.v[k] = 0.999f * v.v[k] + 0.001f * x * x;
            w.v[k] -= rate * m.v[k] / (sqrtf(v.v[k]) + 1e-8f);
            h.v[k] = __float2half(w.v[k]);
        }
        weight[at] = w;
        first[at] = m;
        second[at] = v;
        copy[at] = h;
    }
}
