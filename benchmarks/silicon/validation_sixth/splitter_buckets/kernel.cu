// Splitter i is i / BUCKETS of the range. In the tree the children of node n are 2n and 2n + 1.
constexpr unsigned WIDTH = 4294967296ull / BUCKETS;

extern "C" __global__ void __launch_bounds__(256)
splitter_buckets(const unsigned* __restrict__ keys, const int* __restrict__ places, unsigned short* __restrict__ bucket,
                 int* __restrict__ counts)
{
    __shared__ unsigned splitters[BUCKETS];
    __shared__ int hist[BUCKETS];
    for (int i = threadIdx.x; i < BUCKETS; i += 256) {
        int n = places[i];
#if TREE
        if (n > 0) {
            const int level = 31 - __clz(n);
            n = (2 * (n - (1 << level)) + 1) * (BUCKETS >> (level + 1));
        }
#endif
        splitters[i] = n * WIDTH;
        hist[i] = 0;
    }
    __syncthreads();
    const int first = blockIdx.x * 256 * EACH + threadIdx.x;
    unsigned key[EACH];
    int at[EACH];
#pragma unroll
    for (int e = 0; e < EACH; ++e) key[e] = keys[first + e * 256];
#if TREE
#pragma unroll
    for (int e = 0; e < EACH; ++e) at[e] = 1;
#pragma unroll
    for (int n = 1; n < BUCKETS; n *= 2)
#pragma unroll
        for (int e = 0; e < EACH; ++e) at[e] = 2 * at[e] + (key[e] >= splitters[at[e]]);
#pragma unroll
    for (int e = 0; e < EACH; ++e) at[e] -= BUCKETS;
#else
#pragma unroll
    for (int e = 0; e < EACH; ++e) {
        int low = 0, high = BUCKETS;
        while (high - low > 1) {
            const int middle = (low + high) / 2;
            if (splitters[middle] <= key[e])
                low = middle;
            else
                high = middle;
        }
        at[e] = low;
    }
#endif
#pragma unroll
    for (int e = 0; e < EACH; ++e) {
        bucket[first + e * 256] = at[e];
        atomicAdd(hist + at[e], 1);
    }
    __syncthreads();
    for (int i = threadIdx.x; i < BUCKETS; i += 256)
        if (hist[i]) atomicAdd(counts + i, hist[i]);
}
