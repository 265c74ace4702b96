// Matches of DISTINCT values among loads from shared memory: whether what takes a match long holds up the loads.
extern "C" __global__ void __launch_bounds__(BLOCK_SIZE)
match_among_loads(unsigned* __restrict__ out, long long* __restrict__ cycles, int steps, unsigned mask) {
    __shared__ unsigned words[1024];
    for (int i = threadIdx.x; i < 1024; i += BLOCK_SIZE) words[i] = i;
    __syncthreads();
    const unsigned lane = threadIdx.x % 32, value = lane % DISTINCT;
    unsigned at = (unsigned)__cvta_generic_to_shared(words) + lane * 4, sum = 0;
    const long long begin = clock64();
    for (int s = 0; s < steps; ++s) {
#pragma unroll
        for (int i = 0; i < LOADS; ++i) {
            unsigned word;
            asm volatile("ld.shared.u32 %0, [%1];" : "=r"(word) : "r"(at + i * 128) : "memory");
            sum += word;
        }
#pragma unroll
        for (int i = 0; i < MATCHES; ++i) {
            unsigned found;
            asm volatile("match.any.sync.b32 %0, %1, 0xffffffff;" : "=r"(found) : "r"(value + i) : "memory");
            sum += found;
        }
        at ^= sum & mask;
    }
    const long long end = clock64();
    out[blockIdx.x * BLOCK_SIZE + threadIdx.x] = sum;
    if (threadIdx.x == 0) cycles[blockIdx.x] = end - begin;
}
