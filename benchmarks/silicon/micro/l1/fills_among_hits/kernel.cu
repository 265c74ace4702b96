// Rounds that bring two lines from L2 (FILL 1), or read two that L1 holds (0), and make HITS loads of 32 words in a row, each begun
// 128 bytes after the last in what L1 holds for good (OF 0) or 4 bytes after the last in these two lines (1), in those of two rounds
// ago (2), or in these with only the first of them asked for before (3). With SHIFT loads of OF 0 touch two lines each. Lines come
// from a table of 2^17, which every block begins elsewhere; lines that are in L1 for good lie behind it.
#define LINES (1u << 17)
extern "C" __global__ void fills_among_hits(const char* __restrict__ data, unsigned* __restrict__ out, int rounds) {
    const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32, warps = blockDim.x / 32;
    const char* there = data + LINES * 128 + lane * 4;
    unsigned line = (blockIdx.x * 7919u + warp) * 2;
    unsigned sum = 0;
#pragma unroll 1
    for (int r = 0; r < rounds; ++r) {
        unsigned x[HITS + 2];
        const char* fresh = data + (line & (LINES - 1)) * 128 + lane * 4;
        const char* first = FILL ? fresh : there;
        asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(x[HITS]) : "l"(first));
        x[HITS + 1] = 0;
        if (OF != 3) asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(x[HITS + 1]) : "l"(first + 128));
        const char* before = data + ((line - 4 * warps) & (LINES - 1)) * 128 + lane * 4;
        const char* at = OF == 0 ? there + SHIFT * 64 : (OF == 2 ? before : fresh) + 4;
#pragma unroll
        for (int k = 0; k < HITS; ++k) asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(x[k]) : "l"(at + k * (OF ? 4 : 128)));
        line += warps * 2;
#pragma unroll
        for (int k = 0; k < HITS + 2; ++k) sum += x[k];
        there += sum >> 31;
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
