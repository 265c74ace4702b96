// Sum of a block's elements by a shared-memory tree; INTERLEAVED keeps neighbours together and diverges.
extern "C" __global__ void reduction_tree(const float* __restrict__ input, float* __restrict__ out) {
    __shared__ float scratch[BLOCK_SIZE];
    size_t first = (size_t)blockIdx.x * (BLOCK_SIZE * ITEMS) + threadIdx.x;
    float sum = 0.0f;
#pragma unroll
    for (int k = 0; k < ITEMS; ++k) sum += input[first + k * BLOCK_SIZE];
    scratch[threadIdx.x] = sum;
    __syncthreads();
#if INTERLEAVED
    for (int step = 1; step < BLOCK_SIZE; step *= 2) {
        if (threadIdx.x % (2 * step) == 0) scratch[threadIdx.x] += scratch[threadIdx.x + step];
        __syncthreads();
    }
#else
    for (int half = BLOCK_SIZE / 2; half > 0; half /= 2) {
        if (threadIdx.x < half) scratch[threadIdx.x] += scratch[threadIdx.x + half];
        __syncthreads();
    }
#endif
    if (threadIdx.x == 0) out[blockIdx.x] = scratch[0];
}
