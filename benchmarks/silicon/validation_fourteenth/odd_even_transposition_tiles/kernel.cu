// As many passes as a tile has keys; with KEPT a thread holds its even pair and exchanges one key with its neighbour.
constexpr int HALF = TILE / 2;
#if WIDE
typedef unsigned long long Key;
#else
typedef unsigned Key;
#endif

extern "C" __global__ void __launch_bounds__(HALF * TILES)
odd_even_transposition_tiles(const Key* __restrict__ keys, Key* __restrict__ out)
{
    __shared__ Key shared[TILES][TILE];
    const int t = threadIdx.x % HALF;
    Key* s = shared[threadIdx.x / HALF];
    const size_t base = (size_t)(blockIdx.x * TILES + threadIdx.x / HALF) * TILE;
    if (KEPT) {
        Key a = keys[base + 2 * t], b = keys[base + 2 * t + 1];
#pragma unroll 1
        for (int pass = 0; pass < HALF; ++pass) {
            const Key low = min(a, b), high = max(a, b);
            s[2 * t] = low;
            s[2 * t + 1] = high;
            __syncthreads();
            b = t < HALF - 1 ? min(high, s[2 * t + 2 < TILE ? 2 * t + 2 : 0]) : high;
            a = t > 0 ? max(low, s[t > 0 ? 2 * t - 1 : 0]) : low;
            __syncthreads();
        }
        out[base + 2 * t] = min(a, b);
        out[base + 2 * t + 1] = max(a, b);
    } else {
        s[t] = keys[base + t];
        s[t + HALF] = keys[base + t + HALF];
        __syncthreads();
#pragma unroll 1
        for (int pass = 0; pass < TILE; ++pass) {
            const int i = 2 * t + (pass & 1);
            if (i + 1 < TILE) {
                const Key a = s[i], b = s[i + 1];
                s[i] = min(a, b);
                s[i + 1] = max(a, b);
            }
            __syncthreads();
        }
        out[base + t] = s[t];
        out[base + t + HALF] = s[t + HALF];
    }
}
