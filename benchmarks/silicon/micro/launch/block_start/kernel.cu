// Where blocks run and when: `trace` has each block's SM, first clock and last clock (clock64). A block lasts CYCLES;
// with TAIL 0 it stores its last clock beforehand, as first + CYCLES, so that nothing is in flight when it ends.
extern "C" __global__ void block_start(long long* __restrict__ trace) {
    long long first = clock64(), last = first + CYCLES;
    unsigned sm;
    asm("mov.u32 %0, %%smid;" : "=r"(sm));
    long long* mine = trace + blockIdx.x * 3;
    bool writes = threadIdx.x == 0;
    if (writes) {
        mine[0] = sm;
        mine[1] = first;
        if (!TAIL) mine[2] = last;
    }
    while (clock64() - first < CYCLES) {
    }
    if (TAIL) {
        last = clock64();
        if (writes) mine[2] = last;
    }
}
