// Histogram of many bins in shared memory, counters of 32 bits or two of 16 bits in a word, added to the result at the
// end of a block.
constexpr int COUNTERS = PACKED ? BINS / 2 : BINS;

extern "C" __global__ void __launch_bounds__(THREADS)
histogram_wide(const uint4* __restrict__ keys, unsigned* __restrict__ counts)
{
    __shared__ unsigned local[COUNTERS];
    for (int i = threadIdx.x; i < COUNTERS; i += THREADS) local[i] = 0;
    __syncthreads();
    const int first = blockIdx.x * THREADS * (ITEMS / 4) + threadIdx.x;
    auto count = [&](unsigned key) {
        if (PACKED)
            atomicAdd(local + key / 2, key & 1 ? 0x10000u : 1u);
        else
            atomicAdd(local + key, 1u);
    };
#pragma unroll 4
    for (int i = 0; i < ITEMS / 4; ++i) {
        const uint4 k = keys[first + i * THREADS];
        count(k.x);
        count(k.y);
        count(k.z);
        count(k.w);
    }
    __syncthreads();
    for (int i = threadIdx.x; i < COUNTERS; i += THREADS) {
        const unsigned n = local[i];
        if (PACKED) {
            if (n & 0xffff) atomicAdd(counts + 2 * i, n & 0xffff);
            if (n >> 16) atomicAdd(counts + 2 * i + 1, n >> 16);
        } else if (n) {
            atomicAdd(counts + i, n);
        }
    }
}
