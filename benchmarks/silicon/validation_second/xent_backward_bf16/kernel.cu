// Fused classifier: loss and gradient of the logits in two passes over a row of VOCAB bf16 numbers.
// The second pass goes backwards, so that it meets what the first one left in the caches.
#include <cuda_bf16.h>

struct alignas(16) x128 { __nv_bfloat16 v[8]; };

__device__ x128 load(const x128* p, bool last_use)
{
    const int4* raw = reinterpret_cast<const int4*>(p);
    int4 bits = STREAMING && last_use ? __ldcs(raw) : *raw;
    return *reinterpret_cast<x128*>(&bits);
}

extern "C" __global__ void xent_backward_bf16(const x128* __restrict__ logits, const int* __restrict__ targets,
                                              float* __restrict__ losses, x128* __restrict__ dlogits, float dloss)
{
    __shared__ float shared_max[32], shared_sum[32];
    constexpr int groups = VOCAB / 8, warps = THREADS / 32;
    const int row = gridDim.x - 1 - blockIdx.x, lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const x128* x = logits + (size_t)row * groups;

    float thread_max = -1e30f, thread_sum = 0.0f;
    for (int i = threadIdx.x; i < groups; i += THREADS) {
        const x128 pack = load(x + i, false);
        for (int k = 0; k < 8; ++k) {
            const float v = __bfloat162float(pack.v[k]), old = thread_max;
            thread_max = fmaxf(thread_max, v);
            thread_sum = thread_sum * __expf(old - thread_max) + __expf(v - thread_max);
        }
    }
    float m = thread_max;
    for (int o = 16; o > 0; o >>= 1) m = fmaxf(m, __shfl_xor_sync(0xffffffff, m, o));
    if (lane == 0) shared_max[warp] = m;
    __syncthreads();
    m = lane < warps ? shared_max[lane] : -1e30f;
    for (int o = 16; o > 0; o >>= 1) m = fmaxf(m, __shfl_xor_sync(0xffffffff, m, o));
    float s = thread_sum * __expf(thread_max - m);
    for (int o = 16; o > 0; o >>= 1) s += __shfl_xor_sync(0xffffffff, s, o);
    if (lane == 0) shared_sum[warp] = s;
    __syncthreads();
    s = lane < warps ? shared_sum[lane] : 0.0f;
    for (int o = 16; o > 0; o >>= 1) s += __shfl_xor_sync(0xffffffff, s, o);

    const float scale = 1.0f / s;
    const int target = targets[row];
    if (threadIdx.x == 0)
        losses[row] = m + logf(s) - __bfloat162float(reinterpret_cast<const __nv_bfloat16*>(x)[target]);
    const int last = (groups + THREADS - 1) / THREADS - 1;
    for (int i = last * THREADS + threadIdx.x; i >= 0; i -= THREADS) {
        if (i >= groups) continue;
        x128 pack = load(x + i, true);
        for (int k = 0; k < 8; ++k) {
            const float p = __expf(__bfloat162float(pack.v[k]) - m) * scale;
            pack.v[k] = __float2bfloat16((p - (i * 8 + k == target ? 1.0f : 0.0f)) * dloss);
        }
        int4 bits = *reinterpret_cast<int4*>(&pack);
        int4* to = reinterpret_cast<int4*>(dlogits + (size_t)row * groups + i);
        if (STREAMING) __stcs(to, bits);
        else *to = bits;
    }
}
