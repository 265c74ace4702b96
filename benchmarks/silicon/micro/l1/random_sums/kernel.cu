// Floats added to random words of shared memory, as histograms with weights do.
__device__ unsigned mixed(unsigned x) {
    x ^= x >> 16;
    x *= 0x7feb352du;
    x ^= x >> 15;
    x *= 0x846ca68bu;
    return x ^ x >> 16;
}

extern "C" __global__ void random_sums(float* __restrict__ out, float value, int rounds) {
    __shared__ float words[BINS * APART];
    for (int i = threadIdx.x; i < BINS * APART; i += 32 * WARPS) words[i] = 0;
    __syncthreads();
    const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
#pragma unroll 1
    for (int round = 0; round < rounds; ++round)
        atomicAdd(words + (mixed(thread * rounds + round) >> 8) % BINS * APART, value);
    __syncthreads();
    out[thread] = words[threadIdx.x % (BINS * APART)];
}
