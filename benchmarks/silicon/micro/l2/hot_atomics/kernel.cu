// Reductions (OP 0, 1: unsigned, float) and atomics that return (2, 3) of all SMs on the same WORDS consecutive words, REGIONS
// such places 4 KB apart; a lane takes its place by its number.
extern "C" __global__ void hot_atomics(unsigned* __restrict__ counters, unsigned* __restrict__ sink, int steps) {
    unsigned at = threadIdx.x % WORDS + (threadIdx.x / 32 + blockIdx.x) % REGIONS * 1024;
    unsigned value = 1;
    float real = 1.0f;
    for (int s = 0; s < steps; ++s) {
#if OP == 0
        asm volatile("red.global.add.u32 [%0], %1;" ::"l"(counters + at), "r"(value) : "memory");
#elif OP == 1
        asm volatile("red.global.add.f32 [%0], %1;" ::"l"(counters + at), "f"(real) : "memory");
#elif OP == 2
        asm volatile("atom.global.add.u32 %0, [%1], %0;" : "+r"(value) : "l"(counters + at) : "memory");
#else
        asm volatile("atom.global.add.f32 %0, [%1], %0;" : "+f"(real) : "l"(counters + at) : "memory");
#endif
    }
    sink[blockIdx.x * blockDim.x + threadIdx.x] = value + real;
}
