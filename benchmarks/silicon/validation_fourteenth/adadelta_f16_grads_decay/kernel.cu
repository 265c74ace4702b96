// w -= rate * rms(steps) / rms(g) * g; the FP16 copy is what the next forward pass reads.
#include <cuda_fp16.h>
struct alignas(VEC * 4) Pack { float f[VEC]; };
struct alignas(VEC * 2) Half { __half2 h[VEC / 2]; };

__device__ __forceinline__ float ratio(float a, float b)
{
    return FAST ? __fsqrt_rn(a + 1e-6f) * rsqrtf(b + 1e-6f) : sqrtf(a + 1e-6f) / sqrtf(b + 1e-6f);
}

extern "C" __global__ void __launch_bounds__(THREADS)
adadelta_f16_grads_decay(Pack* __restrict__ w, const Half* __restrict__ g, Pack* __restrict__ squares, Pack* __restrict__ steps, Half* __restrict__ copy, float rate)
{
    const int first = blockIdx.x * THREADS * EACH + threadIdx.x;
    Pack pw[EACH], ps[EACH], pt[EACH];
    Half pg[EACH];
#pragma unroll
    for (int e = 0; e < EACH; ++e) {
        pw[e] = w[first + e * THREADS];
        pg[e] = g[first + e * THREADS];
        ps[e] = squares[first + e * THREADS];
        pt[e] = steps[first + e * THREADS];
    }
#pragma unroll
    for (int e = 0; e < EACH; ++e) {
        Half o;
#pragma unroll
        for (int j = 0; j < VEC; ++j) {
            const float2 pair = __half22float2(pg[e].h[j / 2]);
            const float grad = (j % 2 ? pair.y : pair.x) - 0.5f + 0.01f * pw[e].f[j];
            ps[e].f[j] = 0.9f * ps[e].f[j] + 0.1f * grad * grad;
            const float step = ratio(pt[e].f[j], ps[e].f[j]) * grad;
            pt[e].f[j] = 0.9f * pt[e].f[j] + 0.1f * step * step;
            pw[e].f[j] -= rate * step;
        }
#pragma unroll
        for (int j = 0; j < VEC / 2; ++j) o.h[j] = __floats2half2_rn(pw[e].f[2 * j], pw[e].f[2 * j + 1]);
        w[first + e * THREADS] = pw[e];
        squares[first + e * THREADS] = ps[e];
        steps[first + e * THREADS] = pt[e];
        copy[first + e * THREADS] = o;
    }
}
