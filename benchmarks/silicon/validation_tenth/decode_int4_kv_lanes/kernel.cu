// 264 heads of 128 dimensions; a lane has the nibbles of 128 / LANES dimensions of a key.
#include <cuda_fp16.h>
constexpr int THREADS = 32 * WARPS, OWN = 128 / LANES, WORDS = OWN / 8, KEYS = THREADS / LANES;
struct alignas(WORDS * 4) Pack { unsigned w[WORDS]; };

extern "C" __global__ void __launch_bounds__(THREADS)
decode_int4_kv_lanes(const float* __restrict__ q, const Pack* __restrict__ k, const Pack* __restrict__ v,
                     const __half* __restrict__ kscale, const __half* __restrict__ vscale, float* __restrict__ out)
{
    __shared__ float tops[KEYS], sums[KEYS], parts[WARPS][128];
    const int lane = threadIdx.x % LANES, group = threadIdx.x / LANES, head = blockIdx.x;
    float a[OWN], acc[OWN] = {}, top = -1.0e30f, sum = 0.0f;
#pragma unroll
    for (int i = 0; i < OWN; ++i) a[i] = q[head * 128 + lane * OWN + i] * 0.0883883f;
#pragma unroll 1
    for (int k0 = group; k0 < 2048; k0 += KEYS * AHEAD) {
        Pack p[AHEAD], r[AHEAD];
        float ps[AHEAD], rs[AHEAD], s[AHEAD];
#pragma unroll
        for (int u = 0; u < AHEAD; ++u) {
            const int key = head * 2048 + k0 + u * KEYS;
            p[u] = k[key * LANES + lane];
            r[u] = v[key * LANES + lane];
            ps[u] = __half2float(kscale[key * 4 + lane * OWN / 32]);
            rs[u] = __half2float(vscale[key * 4 + lane * OWN / 32]);
        }
        float now = top;
#pragma unroll
        for (int u = 0; u < AHEAD; ++u) {
            s[u] = 0.0f;
#pragma unroll
            for (int i = 0; i < OWN; ++i) s[u] += a[i] * ((int)(p[u].w[i / 8] >> 4 * (i % 8) & 15) - 8);
            s[u] *= ps[u];
#pragma unroll
            for (int d = LANES / 2; d; d >>= 1) s[u] += __shfl_xor_sync(~0u, s[u], d);
            now = fmaxf(now, s[u]);
        }
        const float shrink = __expf(top - now);
        top = now;
        sum *= shrink;
#pragma unroll
        for (int i = 0; i < OWN; ++i) acc[i] *= shrink;
#pragma unroll
        for (int u = 0; u < AHEAD; ++u) {
            const float e = __expf(s[u] - top), es = e * rs[u];
            sum += e;
#pragma unroll
            for (int i = 0; i < OWN; ++i) acc[i] += es * ((int)(r[u].w[i / 8] >> 4 * (i % 8) & 15) - 8);
        }
    }
    if (lane == 0) {
        tops[group] = top;
        sums[group] = sum;
    }
    __syncthreads();
    float all = -1.0e30f, total = 0.0f;
    for (int i = 0; i < KEYS; ++i) all = fmaxf(all, tops[i]);
    for (int i = 0; i < KEYS; ++i) total += sums[i] * __expf(tops[i] - all);
    const float scale = __expf(top - all) / total;
#pragma unroll
    for (int i = 0; i < OWN; ++i) {
        float f = acc[i] * scale;
#pragma unroll
        for (int d = 16; d >= LANES; d >>= 1) f += __shfl_xor_sync(~0u, f, d);
        if (threadIdx.x % 32 < LANES) parts[threadIdx.x / 32][lane * OWN + i] = f;
    }
    __syncthreads();
    if (threadIdx.x < 128) {
        float f = 0.0f;
#pragma unroll
        for (int w = 0; w < WARPS; ++w) f += parts[w][threadIdx.x];
        out[head * 128 + threadIdx.x] = f;
    }
}
