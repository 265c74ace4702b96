// Run-length code of a block's symbols: heads of runs are found, counted by a scan, gathered in shared memory, and runs
// written as symbol and length.
constexpr int TILE = THREADS * ITEMS, WARPS = THREADS / 32;

struct alignas(ITEMS) Pack { unsigned char v[ITEMS]; };

extern "C" __global__ void __launch_bounds__(THREADS)
run_length_block(const unsigned char* __restrict__ in, unsigned* __restrict__ runs, unsigned* __restrict__ counts)
{
    __shared__ __align__(16) unsigned char symbols[TILE];
    __shared__ unsigned short heads[TILE + 1];
    __shared__ int sums[WARPS];
    const int t = threadIdx.x, lane = t % 32, base = blockIdx.x * TILE;
    Pack p;
#if WIDE
    p = reinterpret_cast<const Pack*>(in + base)[t];
    reinterpret_cast<Pack*>(symbols)[t] = p;
    __syncthreads();
#else
    for (int i = t; i < TILE; i += THREADS) symbols[i] = in[base + i];
    __syncthreads();
#pragma unroll
    for (int k = 0; k < ITEMS; ++k) p.v[k] = symbols[t * ITEMS + k];
#endif
    unsigned flags = t == 0 || symbols[t * ITEMS - 1] != p.v[0];
#pragma unroll
    for (int k = 1; k < ITEMS; ++k) flags |= (unsigned)(p.v[k] != p.v[k - 1]) << k;
    const int own = __popc(flags);
    int running = own;
#pragma unroll
    for (int d = 1; d < 32; d *= 2) {
        const int other = __shfl_up_sync(0xffffffff, running, d);
        if (lane >= d) running += other;
    }
    if (lane == 31) sums[t / 32] = running;
    __syncthreads();
    int rank = running - own, total = 0;
#pragma unroll
    for (int w = 0; w < WARPS; ++w) {
        if (w < t / 32) rank += sums[w];
        total += sums[w];
    }
#pragma unroll
    for (int k = 0; k < ITEMS; ++k)
        if (flags >> k & 1) heads[rank++] = t * ITEMS + k;
    if (t == 0) {
        heads[total] = TILE;
        counts[blockIdx.x] = total;
    }
    __syncthreads();
    for (int i = t; i < total; i += THREADS) {
        const int head = heads[i];
        runs[base + i] = symbols[head] | (heads[i + 1] - head) << 8;
    }
}
