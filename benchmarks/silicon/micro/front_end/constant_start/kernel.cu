// What first touches of constants cost: LINES of them, STRIDE bytes apart, at fixed addresses and one load after the
// other (KIND 0, uniform loads) or at addresses in a register, each load waiting for the one before (KIND 1). `trace`
// holds the clocks of the warps of block 0: on entry, after a kernel parameter's first use, then after all loads (KIND 0)
// or each (KIND 1, two passes).
extern "C" {
__constant__ float table[2048];
}

#define CLOCK asm volatile("mov.u32 %0, %%clock;" : "=r"(now));
#if KIND == 0
#define TOUCH(k)        \
    if ((k) < LINES)    \
        asm volatile("{ .reg .f32 c; ld.const.f32 c, [table+%1]; fma.rn.f32 %0, %0, %0, c; }" : "+f"(x) : "n"(STRIDE * (k)));
#else
#define TOUCH(k)                                \
    if ((k) < LINES) {                          \
        x += table[index + STRIDE / 4 * (k)];   \
        index = __float_as_int(x) >> 31;        \
        CLOCK                                   \
        mine[at + (k)] = now;                   \
    }
#endif
#define EIGHT(k) TOUCH(k) TOUCH(k + 1) TOUCH(k + 2) TOUCH(k + 3) TOUCH(k + 4) TOUCH(k + 5) TOUCH(k + 6) TOUCH(k + 7)
#define ALL EIGHT(0) EIGHT(8) EIGHT(16) EIGHT(24)

extern "C" __global__ void constant_start(unsigned* __restrict__ trace, float* __restrict__ sink, float a) {
    __shared__ unsigned clocks[16][66];
    unsigned entry, now;
    volatile unsigned* mine = clocks[threadIdx.x >> 5];
    asm volatile("mov.u32 %0, %%clock;" : "=r"(entry));
    float x = threadIdx.x;
    asm volatile("fma.rn.f32 %0, %0, %1, %1;" : "+f"(x) : "f"(a));
    CLOCK
    mine[0] = entry;
    mine[1] = now;
    int index = threadIdx.x >> 10;
#if KIND == 0
    ALL
    CLOCK
    mine[2] = now;
#else
    unsigned at = 2;
#pragma unroll 1
    for (int pass = 0; pass < 2; ++pass) {
        ALL
        at += 32;
    }
#endif
    __syncthreads();
    if (blockIdx.x == 0)
        for (int i = threadIdx.x; i < 16 * 66; i += blockDim.x) trace[i] = clocks[i / 66][i % 66];
    sink[blockIdx.x * blockDim.x + threadIdx.x] = x + index;
}
