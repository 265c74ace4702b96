// Which warp slot (%warpid) of which SM each warp gets, and when it starts and ends: `trace` has SM, slot, first and last
// clock (clock64) of every warp. A block lasts CYCLES.
extern "C" __global__ void warp_placement(long long* __restrict__ trace) {
    long long first = clock64();
    unsigned sm, slot;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
    asm volatile("mov.u32 %0, %%warpid;" : "=r"(slot));
    while (clock64() - first < CYCLES) {
    }
    long long* mine = trace + (blockIdx.x * (BLOCK_SIZE / 32) + threadIdx.x / 32) * 4;
    if (threadIdx.x % 32 == 0) {
        mine[0] = sm;
        mine[1] = slot;
        mine[2] = first;
        mine[3] = clock64();
    }
}
