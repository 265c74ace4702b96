// Brute-force nearest neighbour in three dimensions: references in tiles of a block's size in shared memory,
// QUERIES_EACH queries a thread in registers. Points are three floats in a row.
extern "C" __global__ void nearest_neighbour(const float* __restrict__ queries, const float* __restrict__ references,
                                             int* __restrict__ nearest) {
    constexpr int unroll = UNROLL;
    __shared__ float tile[3 * BLOCK_SIZE];
    float x[QUERIES_EACH], y[QUERIES_EACH], z[QUERIES_EACH], least[QUERIES_EACH];
    int best[QUERIES_EACH], base = blockIdx.x * QUERIES_EACH * BLOCK_SIZE + threadIdx.x;
#pragma unroll
    for (int k = 0; k < QUERIES_EACH; ++k) {
        x[k] = queries[3 * (base + k * BLOCK_SIZE)];
        y[k] = queries[3 * (base + k * BLOCK_SIZE) + 1];
        z[k] = queries[3 * (base + k * BLOCK_SIZE) + 2];
        least[k] = 1e30f;
        best[k] = 0;
    }
    for (int j0 = 0; j0 < 2048; j0 += BLOCK_SIZE) {
        __syncthreads();
#pragma unroll
        for (int i = 0; i < 3; ++i)
            tile[threadIdx.x + i * BLOCK_SIZE] = references[3 * j0 + threadIdx.x + i * BLOCK_SIZE];
        __syncthreads();
#pragma unroll unroll
        for (int j = 0; j < BLOCK_SIZE; ++j)
#pragma unroll
            for (int k = 0; k < QUERIES_EACH; ++k) {
                float a = x[k] - tile[3 * j], b = y[k] - tile[3 * j + 1], c = z[k] - tile[3 * j + 2];
                float d = a * a + b * b + c * c;
                if (d < least[k]) {
                    least[k] = d;
                    best[k] = j0 + j;
                }
            }
    }
#pragma unroll
    for (int k = 0; k < QUERIES_EACH; ++k) nearest[base + k * BLOCK_SIZE] = best[k];
}
