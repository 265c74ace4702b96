// Stream compaction inside blocks, order preserved. Ranks come from ballots and population counts, or from a scan of
// the threads' numbers in shared memory.
extern "C" __global__ void compact_block(const int* __restrict__ data, int* __restrict__ packed,
                                         int* __restrict__ kept)
{
    const int base = blockIdx.x * ITEMS * THREADS, t = threadIdx.x;
#if BY_VOTES
    __shared__ int warp_total[THREADS / 32];
    const int lane = t & 31, warp = t >> 5;
    int done = 0;
    for (int k = 0; k < ITEMS; ++k) {
        const int v = data[base + k * THREADS + t];
        const bool pass = v % KEEP == 0;
        const unsigned votes = __ballot_sync(0xffffffffu, pass);
        if (lane == 0) warp_total[warp] = __popc(votes);
        __syncthreads();
        int before = done;
        for (int w = 0; w < THREADS / 32; ++w) {
            if (w < warp) before += warp_total[w];
            done += warp_total[w];
        }
        if (pass) packed[base + before + __popc(votes & ((1u << lane) - 1))] = v;
        __syncthreads();
    }
    if (t == 0) kept[blockIdx.x] = done;
#else
    __shared__ int ranks[2][THREADS], stage[ITEMS * THREADS];
    for (int k = 0; k < ITEMS; ++k) stage[k * THREADS + t] = data[base + k * THREADS + t];
    __syncthreads();
    int mine[ITEMS], n = 0;
    for (int k = 0; k < ITEMS; ++k) {
        mine[k] = stage[t * ITEMS + k];
        n += mine[k] % KEEP == 0;
    }
    int from = 0;
    ranks[0][t] = n;
    __syncthreads();
    for (int o = 1; o < THREADS; o *= 2) {
        ranks[from ^ 1][t] = ranks[from][t] + (t >= o ? ranks[from][t - o] : 0);
        from ^= 1;
        __syncthreads();
    }
    int at = base + ranks[from][t] - n;
    for (int k = 0; k < ITEMS; ++k)
        if (mine[k] % KEEP == 0) packed[at++] = mine[k];
    if (t == THREADS - 1) kept[blockIdx.x] = ranks[from][t];
#endif
}
