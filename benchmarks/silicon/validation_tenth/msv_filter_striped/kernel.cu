// Bytes saturate. A lane's words are WORDS places of a stripe; the last word moves to the next lane.
constexpr int THREADS = 32 * WARPS;

__device__ __forceinline__ unsigned lane_max(unsigned m)
{
    m = __vmaxu4(m, m >> 16);
    m = max(m & 255u, m >> 8 & 255u);
    if (REDUX) return __reduce_max_sync(~0u, m);
#pragma unroll
    for (int d = 16; d; d >>= 1) m = max(m, __shfl_xor_sync(~0u, m, d));
    return m;
}

extern "C" __global__ void __launch_bounds__(THREADS)
msv_filter_striped(const unsigned char* __restrict__ residue, const unsigned* __restrict__ cost, unsigned* __restrict__ score)
{
    __shared__ unsigned costs[STAGED ? 640 * WORDS : 1];
    if (STAGED) {
        for (int i = threadIdx.x; i < 640 * WORDS; i += THREADS) costs[i] = cost[i];
        __syncthreads();
    }
    const int lane = threadIdx.x % 32, id = blockIdx.x * WARPS + threadIdx.x / 32;
    unsigned m[WORDS] = {}, best = 0, begin = 0x40404040u;
#pragma unroll 1
    for (int i = 0; i < 128; i += 4) {
        const unsigned four = *reinterpret_cast<const unsigned*>(residue + id * 128 + i);
#pragma unroll
        for (int r = 0; r < 4; ++r) {
            const unsigned* from = (STAGED ? costs : cost) + (four >> 8 * r & 255u) * (32 * WORDS) + lane;
            unsigned last = __shfl_up_sync(~0u, m[WORDS - 1], 1), all = 0;
            if (lane == 0) last <<= 8;
#pragma unroll
            for (int w = 0; w < WORDS; ++w) {
                const unsigned now = __vsubus4(__vaddus4(__vmaxu4(last, begin), 0x08080808u), from[w * 32]);
                last = m[w];
                m[w] = now;
                all = __vmaxu4(all, now);
            }
            const unsigned top = lane_max(all);
            best = max(best, top);
            begin = max(0x40u, best > 16u ? best - 16u : 0u) * 0x01010101u;
        }
    }
    if (lane == 0) score[id] = best;
}
