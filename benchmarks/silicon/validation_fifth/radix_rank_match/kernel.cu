// Warps count digits in order in shared memory, counters are scanned over digits and warps, ranks are written.
constexpr int WARPS = THREADS / 32, DIGITS = 1 << BITS, COUNTERS = DIGITS * WARPS;

extern "C" __global__ void __launch_bounds__(THREADS)
radix_rank_match(const unsigned* __restrict__ keys, unsigned* __restrict__ ranks, int shift)
{
    __shared__ unsigned counters[COUNTERS];
    const int t = threadIdx.x, lane = t % 32, warp = t / 32;
    const int base = blockIdx.x * (THREADS * ITEMS) + warp * (32 * ITEMS) + lane;
    for (int i = t; i < COUNTERS; i += THREADS) counters[i] = 0;
    __syncthreads();
    unsigned digit[ITEMS], rank[ITEMS];
#pragma unroll
    for (int i = 0; i < ITEMS; ++i) digit[i] = keys[base + i * 32] >> shift & DIGITS - 1;
#pragma unroll
    for (int i = 0; i < ITEMS; ++i) {
        unsigned peers;
#if MATCH
        peers = __match_any_sync(0xffffffff, digit[i]);
#else
        peers = 0xffffffff;
#pragma unroll
        for (int b = 0; b < BITS; ++b) {
            const unsigned vote = __ballot_sync(0xffffffff, digit[i] >> b & 1);
            peers &= digit[i] >> b & 1 ? vote : ~vote;
        }
#endif
        const unsigned before = __popc(peers & (1u << lane) - 1), at = digit[i] * WARPS + warp;
        const unsigned old = counters[at];
        __syncwarp();
        if (before == 0) counters[at] = old + __popc(peers);
        __syncwarp();
        rank[i] = old + before;
    }
    __syncthreads();
    if (warp == 0) {
        constexpr int EACH = COUNTERS / 32;
        unsigned sum = 0;
#pragma unroll
        for (int i = 0; i < EACH; ++i) sum += counters[lane * EACH + i];
        unsigned running = sum;
#pragma unroll
        for (int d = 1; d < 32; d *= 2) {
            const unsigned other = __shfl_up_sync(0xffffffff, running, d);
            if (lane >= d) running += other;
        }
        running -= sum;
#pragma unroll
        for (int i = 0; i < EACH; ++i) {
            const unsigned count = counters[lane * EACH + i];
            counters[lane * EACH + i] = running;
            running += count;
        }
    }
    __syncthreads();
#pragma unroll
    for (int i = 0; i < ITEMS; ++i) ranks[base + i * 32] = rank[i] + counters[digit[i] * WARPS + warp];
}
