// Loads of 32 lines, a lane each, of which MISSES of every 32 are not in L1 but in L2: so many lanes of each load (BURST 0), or all lanes
// of the first MISSES / 4 loads of each round of eight (BURST 1). Neither banks nor the banks of tags conflict. Lines that miss
// are taken in turn from a table of 2^17 lines, which every block begins elsewhere; those that hit are 32 lines behind it.
#define LINES (1u << 17)
extern "C" __global__ void misses_among_hits(const char* __restrict__ data, unsigned* __restrict__ out, int rounds) {
    const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32, warps = blockDim.x / 32;
    const char* hit = data + (size_t)(LINES + lane) * 128;
    unsigned line = (blockIdx.x * 7919u + warp) * 32 + lane;
    unsigned sum = 0;
#pragma unroll 1
    for (int r = 0; r < rounds; ++r) {
        unsigned x[8];
#pragma unroll
        for (int k = 0; k < 8; ++k) {
#if BURST
            const bool misses = k < MISSES / 4;
#else
            const bool misses = lane < MISSES;
#endif
            const char* at = misses ? data + (size_t)(line & (LINES - 1)) * 128 + lane * 4 : hit + ((lane * 4 + k * 16) & 127);
            asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(x[k]) : "l"(at));
            line += warps * 32;
        }
#pragma unroll
        for (int k = 0; k < 8; ++k) sum += x[k];
        hit += sum >> 31;
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
