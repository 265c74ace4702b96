// One block per head and sequence, 1,024 tokens of context. Warps take turns at pages; eight lanes share a key.
// Then the values: a lane holds HEAD / 32 dimensions, and the warps' sums are added in shared memory.
#include <cuda_fp16.h>

constexpr int CONTEXT = 1024, HEADS = 32, WARPS = THREADS / 32, PER_LANE = HEAD / 8;

__device__ float reduce(float v, bool want_max, float* scratch)
{
    for (int o = 16; o >= 1; o /= 2) {
        const float w = __shfl_xor_sync(0xffffffff, v, o);
        v = want_max ? fmaxf(v, w) : v + w;
    }
    if (threadIdx.x % 32 == 0) scratch[threadIdx.x / 32] = v;
    __syncthreads();
    v = scratch[0];
    for (int w = 1; w < WARPS; w++) v = want_max ? fmaxf(v, scratch[w]) : v + scratch[w];
    __syncthreads();
    return v;
}

extern "C" __global__ void paged_attention(const half* __restrict__ q, const half* __restrict__ key_cache,
                                           const half* __restrict__ value_cache, const int* __restrict__ table,
                                           half* __restrict__ out)
{
    __shared__ float logits[CONTEXT], scratch[WARPS], sums[WARPS][HEAD];
    const int head = blockIdx.x, sequence = blockIdx.y, warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const int* pages = table + sequence * (CONTEXT / PAGE);
    const int part = lane % 8, sub = lane / 8;

    half2 query[PER_LANE / 2];
#pragma unroll
    for (int i = 0; i < PER_LANE / 2; i++)
        query[i] = ((const half2*)(q + (sequence * HEADS + head) * HEAD + part * PER_LANE))[i];

    float top = -1e30f;
    for (int p = warp; p < CONTEXT / PAGE; p += WARPS) {
        const half* keys = key_cache + ((size_t)pages[p] * HEADS + head) * PAGE * HEAD;
#pragma unroll
        for (int t = sub; t < PAGE; t += 4) {
            float s = 0.0f;
#pragma unroll
            for (int v = 0; v < PER_LANE / 8; v++) {
                const uint4 raw = *(const uint4*)(keys + t * HEAD + part * PER_LANE + v * 8);
                const half2* k = (const half2*)&raw;
#pragma unroll
                for (int i = 0; i < 4; i++) {
                    const float2 a = __half22float2(query[v * 4 + i]), b = __half22float2(k[i]);
                    s += a.x * b.x + a.y * b.y;
                }
            }
            for (int o = 4; o >= 1; o /= 2) s += __shfl_xor_sync(0xffffffff, s, o);
            s *= 0.125f;
            if (part == 0) logits[p * PAGE + t] = s;
            top = fmaxf(top, s);
        }
    }
    top = reduce(top, true, scratch);
    float total = 0.0f;
    for (int i = threadIdx.x; i < CONTEXT; i += THREADS) {
        const float e = __expf(logits[i] - top);
        logits[i] = e;
        total += e;
    }
    total = reduce(total, false, scratch);

    float acc[HEAD / 32];
#pragma unroll
    for (int i = 0; i < HEAD / 32; i++) acc[i] = 0.0f;
    for (int p = warp; p < CONTEXT / PAGE; p += WARPS) {
        const half* values = value_cache + ((size_t)pages[p] * HEADS + head) * PAGE * HEAD;
#pragma unroll 8
        for (int t = 0; t < PAGE; t++) {
            const float w = logits[p * PAGE + t];
#pragma unroll
            for (int i = 0; i < HEAD / 64; i++) {
                const float2 v = __half22float2(((const half2*)(values + t * HEAD))[i * 32 + lane]);
                acc[2 * i] += w * v.x;
                acc[2 * i + 1] += w * v.y;
            }
        }
    }
#pragma unroll
    for (int i = 0; i < HEAD / 64; i++) {
        sums[warp][i * 64 + lane * 2] = acc[2 * i];
        sums[warp][i * 64 + lane * 2 + 1] = acc[2 * i + 1];
    }
    __syncthreads();
    for (int d = threadIdx.x; d < HEAD; d += THREADS) {
        float s = 0.0f;
        for (int w = 0; w < WARPS; w++) s += sums[w][d];
        out[(sequence * HEADS + head) * HEAD + d] = __float2half(s / total);
    }
}
