// Cycles of a chain of taken branches, each over GAP instructions, in KILOBYTES of code, run eight times; `trace` holds
// those of each pass of warp 0 of block 0. The code between is never executed, so running ahead in a line brings little.
extern "C" __global__ void jump_chain(unsigned* __restrict__ trace, float* __restrict__ sink, float a, int one) {
    float x = threadIdx.x;
    unsigned before, after;
#pragma unroll 1
    for (int pass = 0; pass < 8; ++pass) {
        __syncthreads();
        asm volatile("mov.u32 %0, %%clock;" : "=r"(before));
#pragma unroll
        for (int hop = 0; hop < KILOBYTES * 64 / (GAP + 2); ++hop) {
            if (one + (hop & 3)) {
                asm volatile("" ::: "memory");
            } else {
#pragma unroll
                for (int k = 0; k < GAP; ++k) asm volatile("fma.rn.f32 %0, %0, %1, %1;" : "+f"(x) : "f"(a));
            }
        }
        asm volatile("mov.u32 %0, %%clock;" : "=r"(after));
        if (blockIdx.x == 0 && threadIdx.x == 0) trace[pass] = after - before;
    }
    sink[blockIdx.x * blockDim.x + threadIdx.x] = x;
}
