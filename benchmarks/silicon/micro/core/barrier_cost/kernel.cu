// Cycles of __syncthreads (KIND 0), __syncwarp (1), a memory fence (2) and a barrier with a vote (3).
extern "C" __global__ void barrier_cost(long long* __restrict__ cycles, int* __restrict__ sink, int steps) {
    long long first = 0;
    int sum = threadIdx.x;
#pragma unroll 1
    for (int pass = 0; pass < 2; ++pass) {
        __syncthreads();
        first = clock64();
#pragma unroll 8
        for (int s = 0; s < steps; ++s) {
#if KIND == 0
            __syncthreads();
#elif KIND == 1
            __syncwarp();
            asm volatile("");
#elif KIND == 2
            __threadfence();
#else
            sum += __syncthreads_count(sum & 1);
#endif
        }
    }
    cycles[blockIdx.x * blockDim.x + threadIdx.x] = clock64() - first;
    sink[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
