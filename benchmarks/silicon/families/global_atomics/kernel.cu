// Atomic additions to global counters: one address, one a warp lane, or random ones.
extern "C" __global__ void global_atomics(const int* __restrict__ index, unsigned* __restrict__ counters) {
    int first = blockIdx.x * (BLOCK_SIZE * ITEMS) + threadIdx.x;
#pragma unroll
    for (int k = 0; k < ITEMS; ++k) {
#if SPREAD == 0
        atomicAdd(&counters[index[first + k * BLOCK_SIZE] & 15], 1u);
#elif SPREAD == 1
        atomicAdd(&counters[(first + k * BLOCK_SIZE) & 65535], 1u);
#else
        atomicAdd(&counters[index[first + k * BLOCK_SIZE] & 65535], 1u);
#endif
    }
}
