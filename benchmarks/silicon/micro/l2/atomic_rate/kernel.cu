// Global atomics: without (OP 0) and with (1) a returned value, on one address of the GPU (PATTERN 0), one a block (1),
// consecutive words (2), or a line a lane (3).
extern "C" __global__ void atomic_rate(unsigned* __restrict__ counters, unsigned* __restrict__ sink, int steps) {
    unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
#if PATTERN == 0
    unsigned at = 0;
#elif PATTERN == 1
    unsigned at = blockIdx.x * 64;
#elif PATTERN == 2
    unsigned at = thread;
#else
    unsigned at = thread * 32;
#endif
    unsigned value = 1;
    for (int s = 0; s < steps; ++s) {
#if OP == 0
        asm volatile("red.global.add.u32 [%0], %1;" ::"l"(counters + at), "r"(value) : "memory");
#else
        asm volatile("atom.global.add.u32 %0, [%1], %0;" : "+r"(value) : "l"(counters + at) : "memory");
#endif
    }
    sink[thread] = value;
}
