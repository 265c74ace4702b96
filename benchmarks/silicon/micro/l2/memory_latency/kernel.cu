// Cycles of a dependent load: one thread of one warp walks a full-period congruential sequence over `data`, which holds
// its own index (fill iota). A step is the load, one IMAD and one LOP3. A first
// walk of the same length warms the caches; the second goes on where it ended.
extern "C" __global__ void memory_latency(const unsigned* __restrict__ data, long long* __restrict__ cycles,
                                          unsigned* __restrict__ sink, unsigned mask, int steps) {
    unsigned at = blockIdx.x * 7919u & mask;
    long long first = 0;
#pragma unroll 1
    for (int pass = 0; pass < 2; ++pass) {
        first = clock64();
#pragma unroll 4
        for (int s = 0; s < steps; ++s) {
            unsigned value;
#if CACHED
            asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(value) : "l"(data + at));
#else
            asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(value) : "l"(data + at));
#endif
            at = (value * 1664525u + 1013904223u) & mask;
        }
    }
    cycles[blockIdx.x] = clock64() - first;
    sink[blockIdx.x] = at;
}
