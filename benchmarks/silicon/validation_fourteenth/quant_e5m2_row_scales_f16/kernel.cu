// The greatest magnitude of a row becomes 57,344, the greatest finite e5m2 number.
#include <cuda_fp16.h>
#include <cuda_fp8.h>
constexpr int PACKS = COLS / VEC, EACH = PACKS / THREADS, WARPS = THREADS / 32, U = KEPT ? EACH : 1;
struct alignas(VEC * 2) Pack { __half2 h[VEC / 2]; };
struct alignas(VEC) Bytes { __nv_fp8x2_storage_t b[VEC / 2]; };

extern "C" __global__ void __launch_bounds__(THREADS)
quant_e5m2_row_scales_f16(const Pack* __restrict__ x, Bytes* __restrict__ q, float* __restrict__ scale)
{
    __shared__ float part[WARPS];
    const size_t base = (size_t)blockIdx.x * PACKS + threadIdx.x;
    Pack p[KEPT ? EACH : 1];
    __half2 tops = __float2half2_rn(0.0f);
#pragma unroll U
    for (int i = 0; i < EACH; ++i) {
        const Pack v = x[base + i * THREADS];
        if (KEPT) p[KEPT ? i : 0] = v;
#pragma unroll
        for (int j = 0; j < VEC / 2; ++j) tops = __hmax2(tops, __habs2(v.h[j]));
    }
    float top = fmaxf(__low2float(tops), __high2float(tops));
#pragma unroll
    for (int d = 16; d; d >>= 1) top = fmaxf(top, __shfl_xor_sync(~0u, top, d));
    if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = top;
    __syncthreads();
#pragma unroll
    for (int w = 0; w < WARPS; ++w) top = fmaxf(top, part[w]);
    const float up = top > 0.0f ? 57344.0f / top : 1.0f;
    if (threadIdx.x == 0) scale[blockIdx.x] = 1.0f / up;
#pragma unroll U
    for (int i = 0; i < EACH; ++i) {
        const Pack v = KEPT ? p[KEPT ? i : 0] : x[base + i * THREADS];
        Bytes o;
#pragma unroll
        for (int j = 0; j < VEC / 2; ++j) {
            const float2 f = __half22float2(v.h[j]);
            o.b[j] = __nv_cvt_float2_to_fp8x2(make_float2(f.x * up, f.y * up), __NV_SATFINITE, __NV_E5M2);
        }
        q[base + i * THREADS] = o;
    }
}
