// Gradient of GELU over FP16, by the error function, by a tanh or by the hardware's tanh.
#include <cuda_fp16.h>
struct alignas(VEC * 2) Pack { __half2 h[VEC / 2]; };

__device__ __forceinline__ float hardware_tanh(float x)
{
    float y;
    asm("tanh.approx.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
}

__device__ __forceinline__ float slope(float x)
{
    if (FORM == 0) return 0.5f * (1.0f + erff(x * 0.70710678f)) + x * 0.39894228f * __expf(-0.5f * x * x);
    const float u = 0.79788456f * (x + 0.044715f * x * x * x), t = FORM == 1 ? tanhf(u) : hardware_tanh(u);
    return 0.5f * (1.0f + t) + 0.5f * x * (1.0f - t * t) * 0.79788456f * (1.0f + 0.134145f * x * x);
}

extern "C" __global__ void __launch_bounds__(256)
gelu_bwd_f16_exact_tanh(const Pack* __restrict__ x, const Pack* __restrict__ dy, Pack* __restrict__ dx)
{
    Pack p[EACH], q[EACH];
    const int first = blockIdx.x * 256 * EACH + threadIdx.x;
#pragma unroll
    for (int e = 0; e < EACH; ++e) {
        p[e] = x[first + e * 256];
        q[e] = dy[first + e * 256];
    }
#pragma unroll
    for (int e = 0; e < EACH; ++e) {
#pragma unroll
        for (int j = 0; j < VEC / 2; ++j) {
            const float2 f = __half22float2(p[e].h[j]), g = __half22float2(q[e].h[j]);
            q[e].h[j] = __floats2half2_rn(g.x * slope(f.x), g.y * slope(f.y));
        }
        dx[first + e * 256] = q[e];
    }
}
