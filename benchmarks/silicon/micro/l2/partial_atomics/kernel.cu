// Reductions of all SMs on LINES lines 4 KiB apart, LANES lanes of a warp on as many words, which lie APART words from each other.
extern "C" __global__ void partial_atomics(unsigned* __restrict__ counters, int steps) {
    const unsigned warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    unsigned line = warp % LINES;
    for (int s = 0; s < steps; ++s) {
        if (lane < LANES)
            asm volatile("red.global.add.u32 [%0], %1;" ::"l"(counters + line * 1024 + lane * APART), "r"(1) : "memory");
        if (++line == LINES) line = 0;
    }
}
