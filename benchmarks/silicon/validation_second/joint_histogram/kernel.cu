// Joint histogram for image registration: BINS x BINS counts of pairs of bytes, four pairs a word. The second byte
// is pulled towards the first, as in images that nearly match.
extern "C" __global__ void joint_histogram(const unsigned* __restrict__ first, const unsigned* __restrict__ second,
                                           int* __restrict__ table)
{
    constexpr int shift = BINS == 32 ? 3 : 2;
#if USE_SHARED
    __shared__ int counts[BINS * BINS];
    for (int i = threadIdx.x; i < BINS * BINS; i += THREADS) counts[i] = 0;
    __syncthreads();
#else
    int* counts = table;
#endif
#pragma unroll
    for (int k = 0; k < WORDS; ++k) {
        const int at = (blockIdx.x * WORDS + k) * THREADS + threadIdx.x;
        const unsigned a = first[at], b = second[at];
#pragma unroll
        for (int i = 0; i < 4; ++i) {
            const unsigned u = a >> (8 * i) & 255, v = (3 * u + (b >> (8 * i) & 255)) / 4;
            atomicAdd(&counts[(u >> shift) * BINS + (v >> shift)], 1);
        }
    }
#if USE_SHARED
    __syncthreads();
    for (int i = threadIdx.x; i < BINS * BINS; i += THREADS)
        if (counts[i]) atomicAdd(&table[i], counts[i]);
#endif
}
