// 8,388,608 numbers; the lanes of a group find its least and largest number by shuffles.
#include <cuda_fp16.h>
constexpr int LANES = GROUP / PER;
struct alignas(16) Eight { __half2 v[4]; };

extern "C" __global__ void __launch_bounds__(128)
int4_asym_pack_groups(const Eight* __restrict__ x, unsigned* __restrict__ q, __half2* __restrict__ scales)
{
    const int i = blockIdx.x * 128 + threadIdx.x;
    Eight p[PER / 8];
#pragma unroll
    for (int k = 0; k < PER / 8; ++k) p[k] = x[i * (PER / 8) + k];
    float low, high;
    if (PACKED) {
        __half2 a = p[0].v[0], b = a;
#pragma unroll
        for (int k = 0; k < PER / 8; ++k)
#pragma unroll
            for (int j = 0; j < 4; ++j) {
                a = __hmin2(a, p[k].v[j]);
                b = __hmax2(b, p[k].v[j]);
            }
        const float2 fa = __half22float2(a), fb = __half22float2(b);
        low = fminf(fa.x, fa.y);
        high = fmaxf(fb.x, fb.y);
    } else {
        low = 65504.0f;
        high = -65504.0f;
#pragma unroll
        for (int k = 0; k < PER / 8; ++k)
#pragma unroll
            for (int j = 0; j < 4; ++j) {
                const float2 f = __half22float2(p[k].v[j]);
                low = fminf(low, fminf(f.x, f.y));
                high = fmaxf(high, fmaxf(f.x, f.y));
            }
    }
#pragma unroll
    for (int d = LANES / 2; d; d >>= 1) {
        low = fminf(low, __shfl_xor_sync(~0u, low, d));
        high = fmaxf(high, __shfl_xor_sync(~0u, high, d));
    }
    const float scale = (high - low) * (1.0f / 15.0f), inverse = scale > 0.0f ? 1.0f / scale : 0.0f;
    if (i % LANES == 0) scales[i / LANES] = __floats2half2_rn(scale, low);
    unsigned state = i * 747796405u + 2891336453u;
#pragma unroll
    for (int k = 0; k < PER / 8; ++k) {
        unsigned word = 0;
#pragma unroll
        for (int j = 0; j < 4; ++j) {
            const float2 f = __half22float2(p[k].v[j]);
            float ra = 0.5f, rb = 0.5f;
            if (RANDOM) {
                state = state * 1664525u + 1013904223u;
                ra = (state >> 16) * (1.0f / 65536.0f);
                rb = (state & 0xffffu) * (1.0f / 65536.0f);
            }
            const unsigned a = min((unsigned)((f.x - low) * inverse + ra), 15u), b = min((unsigned)((f.y - low) * inverse + rb), 15u);
            word |= a << (8 * j) | b << (8 * j + 4);
        }
        q[i * (PER / 8) + k] = word;
    }
}
