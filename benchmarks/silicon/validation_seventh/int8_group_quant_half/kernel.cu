#include <cuda_fp16.h>
// Each group of GROUP halves gets a scale; a group lies in LANES neighbouring lanes.
struct alignas(VEC * 2) Halves { half v[VEC]; };
struct alignas(VEC) Bytes { signed char v[VEC]; };
constexpr int LANES = GROUP / VEC, TOTAL = 12582912 / VEC;

extern "C" __global__ void __launch_bounds__(256)
int8_group_quant_half(const Halves* __restrict__ x, Bytes* __restrict__ q, float* __restrict__ scales)
{
    const int first = blockIdx.x * 256 + threadIdx.x;
    Halves h[EACH];
#pragma unroll
    for (int e = 0; e < EACH; ++e) h[e] = x[first + e * (TOTAL / EACH)];
#pragma unroll
    for (int e = 0; e < EACH; ++e) {
        const int i = first + e * (TOTAL / EACH);
        float top = 0.0f;
#pragma unroll
        for (int j = 0; j < VEC; ++j) top = fmaxf(top, fabsf(__half2float(h[e].v[j])));
#pragma unroll
        for (int d = LANES / 2; d; d >>= 1) top = fmaxf(top, __shfl_xor_sync(~0u, top, d));
        const float inverse = top > 0.0f ? 127.0f / top : 0.0f;
        Bytes b;
#pragma unroll
        for (int j = 0; j < VEC; ++j) b.v[j] = (signed char)__float2int_rn(__half2float(h[e].v[j]) * inverse);
        q[i] = b;
        if (threadIdx.x % LANES == 0) scales[i / LANES] = top / 127.0f;
    }
}
