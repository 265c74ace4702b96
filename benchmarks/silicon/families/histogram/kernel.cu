// Histogram of random words with one shared table a block, merged by global atomics.
extern "C" __global__ void histogram(const int* __restrict__ data, int* __restrict__ bins, int n) {
    __shared__ int table[BINS];
    for (int i = threadIdx.x; i < BINS; i += BLOCK_SIZE) table[i] = 0;
    __syncthreads();
    for (int i = blockIdx.x * BLOCK_SIZE + threadIdx.x; i < n; i += gridDim.x * BLOCK_SIZE)
        atomicAdd(&table[data[i] % BINS], 1);
    __syncthreads();
    for (int i = threadIdx.x; i < BINS; i += BLOCK_SIZE) atomicAdd(&bins[i], table[i]);
}
