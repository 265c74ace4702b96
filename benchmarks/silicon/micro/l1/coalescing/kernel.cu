// Cycles of a load whose lanes lie STRIDE words apart, out of L1 (a 64 KB footprint a block) or L2 (cached globally).
extern "C" __global__ void coalescing(const unsigned* data, long long* __restrict__ cycles, unsigned* __restrict__ sink,
                                      int steps) {
    unsigned sum = 0;
    long long first = 0;
    unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    unsigned base = lane * STRIDE;
#pragma unroll 1
    for (int pass = 0; pass < 2; ++pass) {
        __syncthreads();
        first = clock64();
#pragma unroll 1
        for (int s = 0; s < steps; ++s) {
#pragma unroll
            for (int k = 0; k < 8; ++k) {
                unsigned value;
                unsigned i = base + (warp + s * 8 + k) * 32 * STRIDE;
#if IN_L1
                asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(value) : "l"(data + (i & 16383)));
#else
                asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(value) : "l"(data + ((i + blockIdx.x * 65536) & 4194303)));
#endif
                sum ^= value;
            }
        }
    }
    cycles[blockIdx.x * blockDim.x + threadIdx.x] = clock64() - first;
    sink[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
