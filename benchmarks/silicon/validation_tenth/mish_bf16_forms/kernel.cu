// mish(x) = x tanh(log(1 + e^x)).
#include <cuda_bf16.h>
struct alignas(VEC * 2) Pack { __nv_bfloat162 v[VEC / 2]; };

__device__ __forceinline__ float tanh_ap(float x)
{
    float y;
    asm("tanh.approx.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
}

__device__ __forceinline__ float mish(float x)
{
    if (FORM == 0) return x * tanhf(log1pf(__expf(x)));
    if (FORM == 2) return x * tanh_ap(__logf(1.0f + __expf(x)));
    const float e = __expf(fminf(x, 20.0f)), n = e * (e + 2.0f);
    return x * __fdividef(n, n + 2.0f);
}

extern "C" __global__ void __launch_bounds__(256)
mish_bf16_forms(const Pack* __restrict__ x, Pack* __restrict__ y)
{
    Pack p[EACH];
    const int first = blockIdx.x * EACH * 256 + threadIdx.x;
#pragma unroll
    for (int e = 0; e < EACH; ++e) p[e] = x[first + e * 256];
#pragma unroll
    for (int e = 0; e < EACH; ++e) {
#pragma unroll
        for (int j = 0; j < VEC / 2; ++j) {
            const float2 f = __bfloat1622float2(p[e].v[j]);
            p[e].v[j] = __floats2bfloat162_rn(mish(f.x), mish(f.y));
        }
        y[first + e * 256] = p[e];
    }
}
