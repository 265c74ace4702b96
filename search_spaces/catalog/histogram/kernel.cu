// histogram: of 256 bins, with no, one or several tables in a block's shared memory.
//
// Lanes of a warp that count in the same bin wait for each other; tables of a block share the work of each bin, and
// merging them costs atomics in global memory.

constexpr int BINS = 256;

extern "C" __global__ void histogram(const unsigned* __restrict__ data, unsigned* __restrict__ bins)
{
#if TABLES > 0
    __shared__ unsigned tables[TABLES][BINS + 1];    // one word apart, in other banks
    for (int bin = threadIdx.x; bin < TABLES * (BINS + 1); bin += BLOCK_SIZE) {
        (&tables[0][0])[bin] = 0;
    }
    __syncthreads();
    unsigned* counts = tables[threadIdx.x % TABLES];
#else
    unsigned* counts = bins;
#endif
    const int first = blockIdx.x * BLOCK_SIZE * ITEMS + threadIdx.x;
#pragma unroll 4
    for (int item = 0; item < ITEMS; ++item) {
        atomicAdd(&counts[data[first + item * BLOCK_SIZE]], 1u);
    }
#if TABLES > 0
    __syncthreads();
    for (int bin = threadIdx.x; bin < BINS; bin += BLOCK_SIZE) {
        unsigned sum = 0;
#pragma unroll
        for (int table = 0; table < TABLES; ++table) {
            sum += tables[table][bin];
        }
        atomicAdd(&bins[bin], sum);
    }
#endif
}
