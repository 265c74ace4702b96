// Attention of one query a head against a cache of 4,096 keys and values in FP16, SPLITS blocks a head.
// Eight lanes take a key, 16 bytes each; running softmax a group, joined at the end in shared memory.
#include <cuda_fp16.h>
__device__ void unpack(uint4 raw, float* f) {
    const half2* h = (const half2*)&raw;
#pragma unroll
    for (int i = 0; i < 4; ++i) {
        float2 t = __half22float2(h[i]);
        f[2 * i] = t.x;
        f[2 * i + 1] = t.y;
    }
}

extern "C" __global__ void attention_decode(const float* __restrict__ q, const uint4* __restrict__ k,
                                            const uint4* __restrict__ v, float* __restrict__ partial) {
    constexpr int groups = BLOCK_SIZE / 8, length = 4096 / SPLITS;
    __shared__ float tops[groups], weights[groups], sums[groups][65];
    int group = threadIdx.x / 8, lane = threadIdx.x % 8;
    size_t base = ((size_t)blockIdx.y * 4096 + blockIdx.x * length) * 8;
    float x[8], sum[8] = {}, f[8], top = -1e30f, weight = 0.0f;
#pragma unroll
    for (int i = 0; i < 8; ++i) x[i] = q[blockIdx.y * 64 + lane * 8 + i] * 0.125f;
#pragma unroll 4
    for (int j = group; j < length; j += groups) {
        unpack(k[base + j * 8 + lane], f);
        float s = 0.0f;
#pragma unroll
        for (int i = 0; i < 8; ++i) s = fmaf(x[i], f[i], s);
        for (int o = 4; o; o >>= 1) s += __shfl_xor_sync(~0u, s, o);
        unpack(v[base + j * 8 + lane], f);
        float next = fmaxf(top, s), keep = __expf(top - next), p = __expf(s - next);
        top = next;
        weight = weight * keep + p;
#pragma unroll
        for (int i = 0; i < 8; ++i) sum[i] = sum[i] * keep + p * f[i];
    }
    if (lane == 0) {
        tops[group] = top;
        weights[group] = weight;
    }
#pragma unroll
    for (int i = 0; i < 8; ++i) sums[group][lane * 8 + i] = sum[i];
    __syncthreads();
    if (threadIdx.x < 64) {
        float m = -1e30f, l = 0.0f, total = 0.0f;
        for (int g = 0; g < groups; ++g) m = fmaxf(m, tops[g]);
        for (int g = 0; g < groups; ++g) {
            float scale = __expf(tops[g] - m);
            l += weights[g] * scale;
            total += sums[g][threadIdx.x] * scale;
        }
        float* to = partial + (blockIdx.y * SPLITS + blockIdx.x) * 66;
        to[2 + threadIdx.x] = total;
        if (threadIdx.x == 0) {
            to[0] = m;
            to[1] = l;
        }
    }
}
