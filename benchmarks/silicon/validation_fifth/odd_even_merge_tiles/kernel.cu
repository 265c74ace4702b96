// Each tile is sorted by one block, EACH comparisons a thread and round.
#if WIDE
typedef unsigned long long Key;
#else
typedef unsigned Key;
#endif

constexpr int TILE = 1 << TILE_LOG, THREADS = TILE / 2 / EACH;

extern "C" __global__ void __launch_bounds__(THREADS)
odd_even_merge_tiles(const Key* __restrict__ keys, const unsigned* __restrict__ values, Key* __restrict__ keys_out,
                     unsigned* __restrict__ values_out)
{
    __shared__ Key k[TILE];
    __shared__ unsigned v[PAIRS ? TILE : 1];
    const int t = threadIdx.x, base = blockIdx.x * TILE;
    for (int i = t; i < TILE; i += THREADS) {
        k[i] = keys[base + i];
        if (PAIRS) v[i] = values[base + i];
    }
    for (int size = 2; size <= TILE; size *= 2)
        for (int stride = size / 2; stride > 0; stride /= 2) {
            __syncthreads();
#pragma unroll
            for (int c = 0; c < EACH; ++c) {
                // A merge's first round compares its halves; later ones compare what lies between those.
                const int n = c * THREADS + t, low = 2 * n - (n & stride - 1);
                const bool first = stride == size / 2;
                const int a = first ? low : low - stride, b = a + stride;
                if (!first && (n & size / 2 - 1) < stride) continue;
                const Key x = k[a], y = k[b];
                if (x <= y) continue;
                k[a] = y;
                k[b] = x;
                if (PAIRS) {
                    const unsigned u = v[a];
                    v[a] = v[b];
                    v[b] = u;
                }
            }
        }
    __syncthreads();
    for (int i = t; i < TILE; i += THREADS) {
        keys_out[base + i] = k[i];
        if (PAIRS) values_out[base + i] = v[i];
    }
}
