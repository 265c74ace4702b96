// Histogram with COPIES shared tables a block (a warp takes table warp % COPIES), several words a load.
extern "C" __global__ void histogram_private(const int4* __restrict__ data, unsigned* __restrict__ bins, int vectors) {
    __shared__ unsigned table[COPIES][BINS + 1];
    unsigned* mine = table[threadIdx.x / 32 % COPIES];
    for (int i = threadIdx.x; i < COPIES * (BINS + 1); i += BLOCK_SIZE) (&table[0][0])[i] = 0;
    __syncthreads();
    for (int i = blockIdx.x * BLOCK_SIZE + threadIdx.x; i < vectors; i += gridDim.x * BLOCK_SIZE) {
        int4 word = data[i];
        atomicAdd(&mine[word.x & (BINS - 1)], 1u);
        atomicAdd(&mine[word.y & (BINS - 1)], 1u);
        atomicAdd(&mine[word.z & (BINS - 1)], 1u);
        atomicAdd(&mine[word.w & (BINS - 1)], 1u);
    }
    __syncthreads();
    for (int i = threadIdx.x; i < BINS; i += BLOCK_SIZE) {
        unsigned sum = 0;
#pragma unroll
        for (int c = 0; c < COPIES; ++c) sum += table[c][i];
        if (sum) atomicAdd(&bins[i], sum);
    }
}
