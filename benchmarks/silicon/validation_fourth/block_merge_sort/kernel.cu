// Merge sort of a block's keys: each thread sorts its own in registers, then pairs of runs are merged in shared memory,
// every thread finding its part along the merge path. Keys alone or with values.
constexpr int TILE = 1 << TILE_LOG, THREADS = TILE / ITEMS;

extern "C" __global__ void __launch_bounds__(THREADS)
block_merge_sort(const unsigned* __restrict__ keys, const unsigned* __restrict__ values, unsigned* __restrict__ keys_out,
                 unsigned* __restrict__ values_out)
{
    __shared__ unsigned sk[TILE];
    const int t = threadIdx.x, base = blockIdx.x * TILE;
    unsigned k[ITEMS];
#if PAIRS
    __shared__ unsigned sv[TILE];
    unsigned v[ITEMS];
#endif
    for (int i = t; i < TILE; i += THREADS) {
        sk[i] = keys[base + i];
#if PAIRS
        sv[i] = values[base + i];
#endif
    }
    __syncthreads();
#pragma unroll
    for (int i = 0; i < ITEMS; ++i) {
        k[i] = sk[t * ITEMS + i];
#if PAIRS
        v[i] = sv[t * ITEMS + i];
#endif
    }
#pragma unroll
    for (int round = 0; round < ITEMS; ++round)
#pragma unroll
        for (int i = round % 2; i + 1 < ITEMS; i += 2)
            if (k[i + 1] < k[i]) {
                const unsigned a = k[i];
                k[i] = k[i + 1];
                k[i + 1] = a;
#if PAIRS
                const unsigned b = v[i];
                v[i] = v[i + 1];
                v[i + 1] = b;
#endif
            }
    for (int width = 1; width < THREADS; width *= 2) {
        __syncthreads();
#pragma unroll
        for (int i = 0; i < ITEMS; ++i) {
            sk[t * ITEMS + i] = k[i];
#if PAIRS
            sv[t * ITEMS + i] = v[i];
#endif
        }
        __syncthreads();
        const int length = width * ITEMS, first = (t & ~(2 * width - 1)) * ITEMS;
        const int diagonal = (t & (2 * width - 1)) * ITEMS;
        int low = max(0, diagonal - length), high = min(diagonal, length);
        while (low < high) {
            const int middle = (low + high) / 2;
            if (sk[first + middle] <= sk[first + length + diagonal - 1 - middle])
                low = middle + 1;
            else
                high = middle;
        }
        int a = first + low, b = first + length + diagonal - low;
        const int a_end = first + length, b_end = first + 2 * length;
#pragma unroll
        for (int i = 0; i < ITEMS; ++i) {
            const bool take_a = b >= b_end || (a < a_end && sk[a] <= sk[b]);
            const int from = take_a ? a++ : b++;
            k[i] = sk[from];
#if PAIRS
            v[i] = sv[from];
#endif
        }
    }
    __syncthreads();
#pragma unroll
    for (int i = 0; i < ITEMS; ++i) {
        sk[t * ITEMS + i] = k[i];
#if PAIRS
        sv[t * ITEMS + i] = v[i];
#endif
    }
    __syncthreads();
    for (int i = t; i < TILE; i += THREADS) {
        keys_out[base + i] = sk[i];
#if PAIRS
        values_out[base + i] = sv[i];
#endif
    }
}
