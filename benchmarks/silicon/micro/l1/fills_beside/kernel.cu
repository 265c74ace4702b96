// Rounds that bring LINES lines from L2, each by a load of its own, and make HITS loads of what L1 holds. KIND of these: a row of 32
// words (0), one word for all lanes (1), a row of 32 pairs of words (2), words 16 bytes apart, so that four lanes meet in a bank (3),
// words 128 bytes apart, so that all do (4), words 8 bytes apart, so that two do (5), a row of 8 words, each for four lanes (6).
// Lines come from a table of 2^17, which every block begins elsewhere; what is in L1 for good lies behind it.
#define TABLE (1u << 17)
extern "C" __global__ void fills_beside(const char* __restrict__ data, unsigned* __restrict__ out, int rounds) {
    const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32, warps = blockDim.x / 32;
    const unsigned apart = KIND == 0 ? 4 : KIND == 1 ? 0 : KIND == 3 ? 16 : KIND == 4 ? 128 : 8;
    const char* there = data + TABLE * 128 + (KIND == 6 ? lane / 4 * 4 : lane * apart);
    unsigned line = (blockIdx.x * 7919u + warp * LINES) & (TABLE - 1);
    unsigned sum = 0;
#pragma unroll 1
    for (int r = 0; r < rounds; ++r) {
        unsigned x[HITS], y[HITS], z[LINES + 1];
#pragma unroll
        for (int k = 0; k < LINES; ++k)
            asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(z[k]) : "l"(data + (line + k & TABLE - 1) * 128 + lane * 4));
#pragma unroll
        for (int k = 0; k < HITS; ++k) {
            y[k] = 0;
            const char* at = there + k * 128;
            if (KIND == 2) asm volatile("ld.global.ca.v2.u32 {%0, %1}, [%2];" : "=r"(x[k]), "=r"(y[k]) : "l"(at));
            else asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(x[k]) : "l"(at));
        }
        line += warps * LINES;
#pragma unroll
        for (int k = 0; k < HITS; ++k) sum += x[k] + y[k];
#pragma unroll
        for (int k = 0; k < LINES; ++k) sum += z[k];
        there += sum >> 31;
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
