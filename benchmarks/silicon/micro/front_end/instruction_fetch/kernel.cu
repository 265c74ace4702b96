// When each line of 64 KB of straight-line code begins to issue: segments of eight instructions (six FMAs, a clock, a
// store of it), three passes over them. With FLUSH, 256 KB of other code runs first. `trace` holds the clocks of warp
// 0 of block 0, pass by pass; REPEAT tells launches of the same module apart, of which the first finds it just loaded.
#define FMAS(n) _Pragma("unroll") for (int k = 0; k < n; ++k) asm volatile("fma.rn.f32 %0, %0, %1, %2;" : "+f"(x[k & 3]) : "f"(a), "f"(b))
#define SEGMENTS 512

extern "C" __global__ void instruction_fetch(unsigned* __restrict__ trace, float* __restrict__ sink, float a, float b,
                                             int flush) {
    __shared__ unsigned clocks[3 * SEGMENTS];
    float x[4] = {1.0f, 2.0f, 3.0f, 4.0f};
    if (flush) FMAS(16384);
    __syncthreads();
    unsigned at = 0;
#pragma unroll 1
    for (int pass = 0; pass < 3; ++pass) {
#pragma unroll
        for (int s = 0; s < SEGMENTS; ++s) {
            FMAS(6);
            unsigned now;
            asm volatile("mov.u32 %0, %%clock;" : "=r"(now));
            if (threadIdx.x < 32) ((volatile unsigned*)clocks)[at + s] = now;
        }
        at += SEGMENTS;
        __syncthreads();
    }
    if (blockIdx.x == 0)
        for (int i = threadIdx.x; i < 3 * SEGMENTS; i += blockDim.x) trace[i] = clocks[i];
    sink[blockIdx.x * blockDim.x + threadIdx.x] = x[0] + x[1] + x[2] + x[3];
}
