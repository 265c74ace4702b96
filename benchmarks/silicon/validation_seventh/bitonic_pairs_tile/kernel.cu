// Tiles of keys sorted, alone or with values, a key a thread; near partners by shuffles or all through shared memory.
constexpr int TILE = TILE_SIZE;

extern "C" __global__ void __launch_bounds__(TILE)
bitonic_pairs_tile(const unsigned* __restrict__ keys, const unsigned* __restrict__ values, unsigned* __restrict__ keys_out,
                   unsigned* __restrict__ values_out)
{
    __shared__ unsigned ks[TILE];
    const int t = threadIdx.x, at = blockIdx.x * TILE + t;
    unsigned k = keys[at];
#if VALUES
    __shared__ unsigned vs[TILE];
    unsigned v = values[at];
#endif
#pragma unroll 1
    for (int size = 2; size <= TILE; size *= 2)
#pragma unroll 1
        for (int d = size / 2; d; d /= 2) {
            unsigned other;
#if VALUES
            unsigned other_value;
#endif
            if (SHUFFLES && d < 32) {
                other = __shfl_xor_sync(~0u, k, d);
#if VALUES
                other_value = __shfl_xor_sync(~0u, v, d);
#endif
            } else {
                __syncthreads();
                ks[t] = k;
#if VALUES
                vs[t] = v;
#endif
                __syncthreads();
                other = ks[t ^ d];
#if VALUES
                other_value = vs[t ^ d];
#endif
            }
            const bool small = ((t & d) == 0) == ((t & size) == 0);
            if (small ? other < k : other > k) {
                k = other;
#if VALUES
                v = other_value;
#endif
            }
        }
    keys_out[at] = k;
#if VALUES
    values_out[at] = v;
#endif
}
