// Tanimoto coefficients: common bits over all bits, the largest of each query within a part of the library. A
// thread holds its queries' words in registers; 64 fingerprints of the library at a time lie in shared memory.
extern "C" __global__ void tanimoto_bits(const unsigned* __restrict__ queries, const unsigned* __restrict__ library,
                                         float* __restrict__ best)
{
    __shared__ unsigned held[64][WORDS];
    __shared__ int set[64];
    constexpr int groups = 8192 / (QUERIES_EACH * THREADS);
    const int part = blockIdx.x / groups, first = blockIdx.x % groups * QUERIES_EACH * THREADS + threadIdx.x;
    for (int i = threadIdx.x; i < 64 * WORDS; i += THREADS) held[i / WORDS][i % WORDS] = library[part * 64 * WORDS + i];
    unsigned mine[QUERIES_EACH][WORDS];
    int bits[QUERIES_EACH];
    float top[QUERIES_EACH];
#pragma unroll
    for (int q = 0; q < QUERIES_EACH; ++q) {
        bits[q] = 0;
        top[q] = 0.0f;
#pragma unroll
        for (int w = 0; w < WORDS; ++w) {
            mine[q][w] = queries[w * 8192 + first + q * THREADS];
            bits[q] += __popc(mine[q][w]);
        }
    }
    __syncthreads();
    if (threadIdx.x < 64) {
        int n = 0;
        for (int w = 0; w < WORDS; ++w) n += __popc(held[threadIdx.x][w]);
        set[threadIdx.x] = n;
    }
    __syncthreads();
    for (int j = 0; j < 64; ++j) {
        int common[QUERIES_EACH];
#pragma unroll
        for (int q = 0; q < QUERIES_EACH; ++q) common[q] = 0;
#pragma unroll
        for (int w = 0; w < WORDS; ++w)
#pragma unroll
            for (int q = 0; q < QUERIES_EACH; ++q) common[q] += __popc(mine[q][w] & held[j][w]);
#pragma unroll
        for (int q = 0; q < QUERIES_EACH; ++q)
            top[q] = fmaxf(top[q], __fdividef((float)common[q], (float)(bits[q] + set[j] - common[q])));
    }
#pragma unroll
    for (int q = 0; q < QUERIES_EACH; ++q) best[part * 8192 + first + q * THREADS] = top[q];
}
