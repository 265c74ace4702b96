// Keys of a tile are sorted by their low eight bits, one bit at a time: votes of warps, counts of warps, and a scatter.
constexpr int WARPS = THREADS / 32, TILE = THREADS * ITEMS;

extern "C" __global__ void __launch_bounds__(THREADS)
radix_split_bits_tile(const unsigned* __restrict__ keys, const unsigned* __restrict__ values, unsigned* __restrict__ sorted_keys,
                      unsigned* __restrict__ sorted_values)
{
    __shared__ unsigned ks[TILE], vs[PAIRS ? TILE : 1];
    __shared__ int zeros[WARPS];
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, first = warp * 32 * ITEMS + lane;
    const size_t base = (size_t)blockIdx.x * TILE;
    unsigned k[ITEMS], v[PAIRS ? ITEMS : 1];
#pragma unroll
    for (int i = 0; i < ITEMS; ++i) {
        k[i] = keys[base + first + i * 32];
        if (PAIRS) v[PAIRS ? i : 0] = values[base + first + i * 32];
    }
#pragma unroll 1
    for (int bit = 0; bit < 8; ++bit) {
        unsigned vote[ITEMS];
        int count = 0;
#pragma unroll
        for (int i = 0; i < ITEMS; ++i) {
            vote[i] = __ballot_sync(~0u, !(k[i] >> bit & 1));
            count += __popc(vote[i]);
        }
        if (lane == 0) zeros[warp] = count;
        __syncthreads();
        int before = 0, all = 0;
#pragma unroll
        for (int w = 0; w < WARPS; ++w) {
            const int z = zeros[w];
            before += w < warp ? z : 0;
            all += z;
        }
        int zero = before, one = all + warp * 32 * ITEMS - before;
#pragma unroll
        for (int i = 0; i < ITEMS; ++i) {
            const int z = __popc(vote[i] & ((1u << lane) - 1));
            const int to = k[i] >> bit & 1 ? one + lane - z : zero + z;
            ks[to] = k[i];
            if (PAIRS) vs[PAIRS ? to : 0] = v[PAIRS ? i : 0];
            zero += __popc(vote[i]);
            one += 32 - __popc(vote[i]);
        }
        __syncthreads();
#pragma unroll
        for (int i = 0; i < ITEMS; ++i) {
            k[i] = ks[first + i * 32];
            if (PAIRS) v[PAIRS ? i : 0] = vs[PAIRS ? first + i * 32 : 0];
        }
    }
#pragma unroll
    for (int i = 0; i < ITEMS; ++i) {
        sorted_keys[base + first + i * 32] = k[i];
        if (PAIRS) sorted_values[base + first + i * 32] = v[PAIRS ? i : 0];
    }
}
