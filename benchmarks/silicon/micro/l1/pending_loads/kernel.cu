// Each round a warp asks for a line that L1 does not hold, and loads it HITS more times while it is on its way: all words in another
// order of lanes (PATTERN 0), 32 words that begin one word further each time and so reach into the next
// line, which was asked for too (1) or not (2). TOGETHER: all warps of a block use the same lines, else each its own.
#define LINES (1u << 17)
extern "C" __global__ void pending_loads(const char* __restrict__ data, unsigned* __restrict__ out, int rounds) {
    const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32, warps = TOGETHER ? 1 : blockDim.x / 32;
    unsigned line = (blockIdx.x * 7919u + (TOGETHER ? 0 : warp)) * 2;
    unsigned sum = 0;
#pragma unroll 1
    for (int r = 0; r < rounds; ++r) {
        unsigned x[HITS + 2];
        const char* fresh = data + (line & (LINES - 1)) * 128;
        asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(x[HITS]) : "l"(fresh + lane * 4));
        x[HITS + 1] = 0;
        if (PATTERN == 1) asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(x[HITS + 1]) : "l"(fresh + 128 + lane * 4));
#pragma unroll
        for (int k = 0; k < HITS; ++k) {
            const unsigned word = PATTERN == 0 ? lane ^ (k + 1) : lane + k + 1;
            const char* at = fresh + word * 4;
            asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(x[k]) : "l"(at));
        }
        line += warps * 2;
#pragma unroll
        for (int k = 0; k < HITS + 2; ++k) sum += x[k];
        if (TOGETHER) __syncthreads();
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
