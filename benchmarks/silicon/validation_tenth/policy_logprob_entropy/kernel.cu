// Entropy = log(sum e^(x - top)) - sum (x - top) e^(x - top) / sum e^(x - top).
#include <cuda_bf16.h>
constexpr int WARPS = THREADS / 32, STEPS = VOCAB / (THREADS * VEC);
struct alignas(VEC * 2) Pack { __nv_bfloat16 v[VEC]; };

extern "C" __global__ void __launch_bounds__(THREADS)
policy_logprob_entropy(const __nv_bfloat16* __restrict__ logits, const int* __restrict__ token,
                       float* __restrict__ logprob, float* __restrict__ entropy)
{
    __shared__ float tops[WARPS], sums[WARPS], weighted[WARPS];
    const Pack* row = reinterpret_cast<const Pack*>(logits + (size_t)blockIdx.x * VOCAB);
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    float top = -1.0e30f, s = 0.0f, w = 0.0f;
    if (ONLINE) {
#pragma unroll 2
        for (int i = 0; i < STEPS; ++i) {
            const Pack p = row[i * THREADS + threadIdx.x];
            float now = top;
#pragma unroll
            for (int j = 0; j < VEC; ++j) now = fmaxf(now, __bfloat162float(p.v[j]));
            const float shrink = __expf(top - now);
            w = shrink * (w + fmaxf(top - now, -80.0f) * s);
            s *= shrink;
            top = now;
#pragma unroll
            for (int j = 0; j < VEC; ++j) {
                const float d = __bfloat162float(p.v[j]) - top, e = __expf(d);
                s += e;
                w += d * e;
            }
        }
    } else {
#pragma unroll 4
        for (int i = 0; i < STEPS; ++i) {
            const Pack p = row[i * THREADS + threadIdx.x];
#pragma unroll
            for (int j = 0; j < VEC; ++j) top = fmaxf(top, __bfloat162float(p.v[j]));
        }
    }
    float all = top;
#pragma unroll
    for (int d = 16; d; d >>= 1) all = fmaxf(all, __shfl_xor_sync(~0u, all, d));
    if (lane == 0) tops[warp] = all;
    __syncthreads();
    all = tops[lane % WARPS];
#pragma unroll
    for (int d = WARPS / 2; d; d >>= 1) all = fmaxf(all, __shfl_xor_sync(~0u, all, d));
    if (ONLINE) {
        const float shrink = __expf(top - all);
        w = shrink * (w + (top - all) * s);
        s *= shrink;
    } else {
#pragma unroll 4
        for (int i = 0; i < STEPS; ++i) {
            const Pack p = row[i * THREADS + threadIdx.x];
#pragma unroll
            for (int j = 0; j < VEC; ++j) {
                const float d = __bfloat162float(p.v[j]) - all, e = __expf(d);
                s += e;
                w += d * e;
            }
        }
    }
#pragma unroll
    for (int d = 16; d; d >>= 1) {
        s += __shfl_xor_sync(~0u, s, d);
        w += __shfl_xor_sync(~0u, w, d);
    }
    if (lane == 0) {
        sums[warp] = s;
        weighted[warp] = w;
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        s = w = 0.0f;
#pragma unroll
        for (int k = 0; k < WARPS; ++k) {
            s += sums[k];
            w += weighted[k];
        }
        const float chosen = __bfloat162float(logits[(size_t)blockIdx.x * VOCAB + token[blockIdx.x]]);
        logprob[blockIdx.x] = chosen - all - logf(s);
        entropy[blockIdx.x] = logf(s) - w / s;
    }
}
