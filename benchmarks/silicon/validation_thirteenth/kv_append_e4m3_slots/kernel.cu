// New keys and values go to their slots of a cache of e4m3 bytes, scaled by a factor of each head.
#include <cuda_fp16.h>
#include <cuda_fp8.h>
constexpr int HEADS = 8, D = 128, WIDTH = HEADS * D;
struct alignas(VEC * 2) Pack { __half2 h[VEC / 2]; };
struct alignas(VEC) Bytes { unsigned short b[VEC / 2]; };

extern "C" __global__ void __launch_bounds__(THREADS)
kv_append_e4m3_slots(const __half* __restrict__ key, const __half* __restrict__ value, const int* __restrict__ slot,
                     const float* __restrict__ scale, unsigned char* __restrict__ key_cache, unsigned char* __restrict__ value_cache)
{
    const __half* from = blockIdx.y ? value : key;
    unsigned char* to = blockIdx.y ? value_cache : key_cache;
#pragma unroll
    for (int t = 0; t < TOKENS; ++t) {
        const int token = blockIdx.x * TOKENS + t;
        const int at = slot[token];
#pragma unroll 2
        for (int i = threadIdx.x * VEC; i < WIDTH; i += THREADS * VEC) {
            const Pack p = *reinterpret_cast<const Pack*>(from + token * WIDTH + i);
            const float s = 16.0f * scale[blockIdx.y * HEADS + i / D];
            Bytes o;
#pragma unroll
            for (int j = 0; j < VEC / 2; ++j) {
                const float2 f = __half22float2(p.h[j]);
                o.b[j] = __nv_cvt_float2_to_fp8x2(make_float2(f.x * s, f.y * s), __NV_SATFINITE, __NV_E4M3);
            }
            *reinterpret_cast<Bytes*>(to + at * WIDTH + i) = o;
        }
    }
}
