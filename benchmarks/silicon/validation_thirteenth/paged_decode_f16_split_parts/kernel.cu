// Decode attention over pages; groups of LANES lanes go through keys with running sums of their own, merged at the end of the part.
#include <cuda_fp16.h>
constexpr int D = 128, HEADS = 8, PAGE = 16, CONTEXT = 2048, THREADS = WARPS * 32, GROUPS = THREADS / LANES, OWN = D / LANES, RUN = CONTEXT / SPLITS;
struct alignas(16) Pack { __half2 h[4]; };

extern "C" __global__ void __launch_bounds__(THREADS)
paged_decode_f16_split_parts(const __half* __restrict__ q, const __half* __restrict__ keys, const __half* __restrict__ values,
                             const int* __restrict__ pages, float* __restrict__ part, float* __restrict__ stats)
{
    __shared__ float sums[GROUPS][D];
    __shared__ float tops[GROUPS], masses[GROUPS];
    const int group = threadIdx.x / LANES, lane = threadIdx.x % LANES, head = blockIdx.y, seq = blockIdx.z;
    float own[OWN], acc[OWN] = {}, top = -1e30f, mass = 0.0f;
#pragma unroll
    for (int i = 0; i < OWN; ++i) own[i] = __half2float(q[(seq * HEADS + head) * D + (i / 8 * LANES + lane) * 8 + i % 8]) * 0.088388f;
#pragma unroll 1
    for (int t0 = 0; t0 < RUN; t0 += GROUPS * AHEAD) {
        Pack kp[AHEAD][OWN / 8], vp[AHEAD][OWN / 8];
#pragma unroll
        for (int u = 0; u < AHEAD; ++u) {
            const int at = blockIdx.x * RUN + t0 + u * GROUPS + group;
            const size_t row = (((size_t)pages[seq * (CONTEXT / PAGE) + at / PAGE] * HEADS + head) * PAGE + at % PAGE) * D;
#pragma unroll
            for (int i = 0; i < OWN / 8; ++i) {
                kp[u][i] = *reinterpret_cast<const Pack*>(keys + row + (i * LANES + lane) * 8);
                vp[u][i] = *reinterpret_cast<const Pack*>(values + row + (i * LANES + lane) * 8);
            }
        }
#pragma unroll
        for (int u = 0; u < AHEAD; ++u) {
            float dot = 0.0f;
#pragma unroll
            for (int i = 0; i < OWN / 8; ++i)
#pragma unroll
                for (int j = 0; j < 4; ++j) {
                    const float2 f = __half22float2(kp[u][i].h[j]);
                    dot += f.x * own[i * 8 + 2 * j] + f.y * own[i * 8 + 2 * j + 1];
                }
#pragma unroll
            for (int d = LANES / 2; d; d >>= 1) dot += __shfl_xor_sync(~0u, dot, d);
            const float here = fmaxf(top, dot), less = __expf(top - here), w = __expf(dot - here);
            top = here;
            mass = mass * less + w;
#pragma unroll
            for (int i = 0; i < OWN / 8; ++i)
#pragma unroll
                for (int j = 0; j < 4; ++j) {
                    const float2 f = __half22float2(vp[u][i].h[j]);
                    acc[i * 8 + 2 * j] = acc[i * 8 + 2 * j] * less + w * f.x;
                    acc[i * 8 + 2 * j + 1] = acc[i * 8 + 2 * j + 1] * less + w * f.y;
                }
        }
    }
#pragma unroll
    for (int i = 0; i < OWN; ++i) sums[group][(i / 8 * LANES + lane) * 8 + i % 8] = acc[i];
    if (lane == 0) tops[group] = top, masses[group] = mass;
    __syncthreads();
    float most = tops[0], all = 0.0f;
    for (int g = 1; g < GROUPS; ++g) most = fmaxf(most, tops[g]);
    for (int g = 0; g < GROUPS; ++g) all += masses[g] * __expf(tops[g] - most);
    const int to = (seq * HEADS + head) * SPLITS + blockIdx.x;
    for (int d = threadIdx.x; d < D; d += THREADS) {
        float s = 0.0f;
        for (int g = 0; g < GROUPS; ++g) s += sums[g][d] * __expf(tops[g] - most);
        part[to * D + d] = s;
    }
    if (threadIdx.x == 0) stats[2 * to] = most, stats[2 * to + 1] = all;
}
