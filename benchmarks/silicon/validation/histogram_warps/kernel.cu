// Histogram of floats in 256 bins: COPIES of the counters in shared memory, each for a share of the warps,
// added at the end to the counters in memory.
extern "C" __global__ void histogram_warps(const float* __restrict__ input, unsigned* __restrict__ bins) {
    __shared__ unsigned count[COPIES][256];
    for (int i = threadIdx.x; i < COPIES * 256; i += BLOCK_SIZE) (&count[0][0])[i] = 0;
    __syncthreads();
    unsigned* mine = count[threadIdx.x / 32 % COPIES];
    const float* from = input + (size_t)blockIdx.x * BLOCK_SIZE * ITEMS + threadIdx.x;
#pragma unroll 4
    for (int k = 0; k < ITEMS; ++k) {
        float v = from[k * BLOCK_SIZE];
        atomicAdd(mine + min((int)(v * v * 256.0f), 255), 1u);
    }
    __syncthreads();
    for (int b = threadIdx.x; b < 256; b += BLOCK_SIZE) {
        unsigned sum = 0;
        for (int c = 0; c < COPIES; ++c) sum += count[c][b];
        if (sum) atomicAdd(bins + b, sum);
    }
}
