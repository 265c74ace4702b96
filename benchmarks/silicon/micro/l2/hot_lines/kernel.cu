// Reductions of all SMs on LINES lines, GAP lines from one to the next; each warp adds to all words of a line, and takes the lines in turn.
extern "C" __global__ void hot_lines(unsigned* __restrict__ counters, int steps) {
    unsigned warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    unsigned line = (warp * 5) % LINES;
    for (int s = 0; s < steps; ++s) {
        asm volatile("red.global.add.u32 [%0], %1;" ::"l"(counters + line * GAP * 32 + lane), "r"(1) : "memory");
        if (++line == LINES) line = 0;
    }
}
