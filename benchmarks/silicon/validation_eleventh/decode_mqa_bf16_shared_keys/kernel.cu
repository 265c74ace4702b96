// 16 query heads of a sequence share one head of 1,024 keys and values of 128 bf16 numbers; a lane has four numbers.
#include <cuda_bf16.h>
constexpr int WARPS = 16 / HEADS, THREADS = 32 * WARPS, SEQ = 1024, PART = SEQ / SPLITS;

__device__ __forceinline__ float4 widened(uint2 w)
{
    return make_float4(__uint_as_float(w.x << 16), __uint_as_float(w.x & 0xffff0000u), __uint_as_float(w.y << 16),
                       __uint_as_float(w.y & 0xffff0000u));
}

extern "C" __global__ void __launch_bounds__(THREADS)
decode_mqa_bf16_shared_keys(const uint2* __restrict__ q, const uint2* __restrict__ k, const uint2* __restrict__ v,
                            float4* __restrict__ out, float2* __restrict__ stats)
{
    __shared__ uint2 ks[STAGED ? TILE : 1][32], vs[STAGED ? TILE : 1][32];
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, seq = blockIdx.y;
    const size_t base = ((size_t)seq * SEQ + blockIdx.x * PART) * 32;
    float4 f[HEADS], acc[HEADS];
    float top[HEADS], sum[HEADS];
#pragma unroll
    for (int h = 0; h < HEADS; ++h) {
        f[h] = widened(q[(seq * 16 + warp * HEADS + h) * 32 + lane]);
        acc[h] = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
        top[h] = -1.0e30f;
        sum[h] = 0.0f;
    }
#pragma unroll 1
    for (int t = 0; t < PART; t += TILE) {
        if (STAGED) {
            __syncthreads();
            for (int i = threadIdx.x; i < TILE * 32; i += THREADS) {
                ks[i / 32][i % 32] = k[base + t * 32 + i];
                vs[i / 32][i % 32] = v[base + t * 32 + i];
            }
            __syncthreads();
        }
#pragma unroll 4
        for (int i = 0; i < TILE; ++i) {
            const float4 a = widened(STAGED ? ks[STAGED ? i : 0][lane] : k[base + (t + i) * 32 + lane]);
            const float4 b = widened(STAGED ? vs[STAGED ? i : 0][lane] : v[base + (t + i) * 32 + lane]);
#pragma unroll
            for (int h = 0; h < HEADS; ++h) {
                float s = a.x * f[h].x + a.y * f[h].y + a.z * f[h].z + a.w * f[h].w;
#pragma unroll
                for (int d = 16; d; d >>= 1) s += __shfl_xor_sync(~0u, s, d);
                s *= 0.088388348f;
                const float now = fmaxf(top[h], s), shrink = __expf(top[h] - now), e = __expf(s - now);
                top[h] = now;
                sum[h] = sum[h] * shrink + e;
                acc[h].x = acc[h].x * shrink + e * b.x;
                acc[h].y = acc[h].y * shrink + e * b.y;
                acc[h].z = acc[h].z * shrink + e * b.z;
                acc[h].w = acc[h].w * shrink + e * b.w;
            }
        }
    }
#pragma unroll
    for (int h = 0; h < HEADS; ++h) {
        const int at = (seq * SPLITS + blockIdx.x) * 16 + warp * HEADS + h;
        out[at * 32 + lane] = acc[h];
        if (lane == 0) stats[at] = make_float2(top[h], sum[h]);
    }
}
