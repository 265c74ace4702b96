// A block has a sequence and head; scores of a tile are shared, then each thread adds up its column of the values.
#include <cuda_fp16.h>
constexpr int D = 128, THREADS = 128, GROUPS = THREADS / LANES, PART = D / LANES, PER = TILE / GROUPS > 0 ? TILE / GROUPS : 1;

__device__ __forceinline__ void copy16(void* to, const void* from)
{
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"((unsigned)__cvta_generic_to_shared(to)), "l"(from) : "memory");
}

extern "C" __global__ void __launch_bounds__(THREADS)
decode_f16_async_key_tiles(const __half* __restrict__ q, const __half* __restrict__ k, const __half* __restrict__ v, __half* __restrict__ out)
{
    alignas(16) __shared__ __half ks[BUFFERS][TILE * D];
    alignas(16) __shared__ __half vs[BUFFERS][TILE * D];
    __shared__ float score[TILE];
    const int t = threadIdx.x, lane = t % LANES, group = t / LANES;
    const size_t base = (size_t)blockIdx.x * SEQ * D;
    float2 fq[PART / 2];
#pragma unroll
    for (int j = 0; j < PART / 2; ++j) {
        fq[j] = __half22float2(reinterpret_cast<const __half2*>(q + blockIdx.x * D)[j * LANES + lane]);
        fq[j].x *= 0.0883883f;
        fq[j].y *= 0.0883883f;
    }
    auto start = [&](int k0, int s) {
#pragma unroll
        for (int i = t; i < TILE * D / 8; i += THREADS) {
            copy16(&ks[s][i * 8], k + base + (size_t)k0 * D + i * 8);
            copy16(&vs[s][i * 8], v + base + (size_t)k0 * D + i * 8);
        }
        asm volatile("cp.async.commit_group;" ::: "memory");
    };
    float top = -1e30f, sum = 0.0f, acc = 0.0f;
    if (BUFFERS == 2) start(0, 0);
    int side = 0;
#pragma unroll 1
    for (int k0 = 0; k0 < SEQ; k0 += TILE) {
        if (BUFFERS == 1) start(k0, 0);
        asm volatile("cp.async.wait_group 0;" ::: "memory");
        __syncthreads();
        if (BUFFERS == 2 && k0 + TILE < SEQ) start(k0 + TILE, side ^ 1);
#pragma unroll
        for (int i = 0; i < PER; ++i) {
            const int key = i * GROUPS + group;
            const __half2* p = reinterpret_cast<const __half2*>(&ks[side][key * D]);
            float s = 0.0f;
#pragma unroll
            for (int j = 0; j < PART / 2; ++j) {
                const float2 f = __half22float2(p[j * LANES + lane]);
                s += f.x * fq[j].x + f.y * fq[j].y;
            }
#pragma unroll
            for (int d = LANES / 2; d; d >>= 1) s += __shfl_xor_sync(~0u, s, d);
            if (lane == 0) score[key] = s;
        }
        __syncthreads();
        float high = top;
#pragma unroll
        for (int i = 0; i < TILE; ++i) high = fmaxf(high, score[i]);
        const float old = __expf(top - high);
        sum *= old;
        acc *= old;
        top = high;
#pragma unroll
        for (int i = 0; i < TILE; ++i) {
            const float e = __expf(score[i] - top);
            sum += e;
            acc += e * __half2float(vs[side][i * D + t]);
        }
        __syncthreads();
        if (BUFFERS == 2) side ^= 1;
    }
    out[blockIdx.x * D + t] = __float2half(acc / sum);
}
