// Loads of LINES lines, 32 / LINES words of each and all words of different banks: QUARTERS of them lie in L1 for good, the others
// come from L2 and have been asked for by the load before (ASKED 1) or not (0). Lines come from a table of 2^17, which every block
// begins elsewhere; lines that are in L1 for good lie behind it.
#define TABLE (1u << 17)
#define LOADS 4
#define HITS (LINES * QUARTERS / 4)
#define FRESH (LINES - HITS)
extern "C" __global__ void mixed_loads(const char* __restrict__ data, unsigned* __restrict__ out, int rounds) {
    const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32, warps = blockDim.x / 32;
    const unsigned part = lane / (32 / LINES), word = lane * 4;
    const char* there = data + TABLE * 128 + part * 128 + word;
    unsigned line = (blockIdx.x * 7919u + warp * LOADS * FRESH) & (TABLE - 1);
    unsigned sum = 0;
#pragma unroll 1
    for (int r = 0; r < rounds; ++r) {
        unsigned x[LOADS], y[LOADS];
#pragma unroll
        for (int k = 0; k < LOADS; ++k) {
            const unsigned fresh = (line + k * FRESH + part - HITS) & (TABLE - 1);
            const char* at = part < HITS ? there : data + fresh * 128 + word;
            y[k] = 0;
            if (ASKED && part >= HITS) asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(y[k]) : "l"(data + fresh * 128 + (word ^ 4)));
            asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(x[k]) : "l"(at));
        }
        line += warps * LOADS * FRESH;
#pragma unroll
        for (int k = 0; k < LOADS; ++k) sum += x[k] + y[k];
        there += sum >> 31;
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
