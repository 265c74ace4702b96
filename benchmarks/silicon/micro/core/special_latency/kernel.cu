// Cycles from reading special registers to the use of the last: FIRST, and with it SECOND unless that is 0.
// 1 %warpid, 2 %smid, both by S2R; 3 a constant at an address in a register (LDC).
__constant__ unsigned table[64];

#define READ(KIND, to)                                                                  \
    if (KIND == 1) asm volatile("mov.u32 %0, %%warpid;" : "=r"(to));                    \
    if (KIND == 2) asm volatile("mov.u32 %0, %%smid;" : "=r"(to));                      \
    if (KIND == 3) asm volatile("ld.const.u32 %0, [%1];" : "=r"(to) : "r"(entry));

extern "C" __global__ void special_latency(int* __restrict__ cycles, unsigned* __restrict__ sink, unsigned entry) {
    unsigned sum = 0;
    int least = 1 << 30;
#pragma unroll 1
    for (int round = 0; round < 16; ++round) {
        unsigned a = 0, b = 0;
        __syncthreads();
        const long long begin = clock64();
        READ(FIRST, a)
        READ(SECOND, b)
        asm volatile("add.u32 %0, %0, %1;" : "+r"(sum) : "r"(a + b));
        least = min(least, (int)(clock64() - begin));
        entry += sum >> 31;
    }
    if (threadIdx.x % 32 == 0) cycles[(blockIdx.x * blockDim.x + threadIdx.x) / 32] = least;
    if (sum == 123456789u) sink[0] = sum;
}
