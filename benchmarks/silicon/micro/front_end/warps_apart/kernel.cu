// Warps that are in different places of a loop body of LENGTH FMAs, 16 bytes of code each: each begins `delay` cycles behind
// the one before it in its block. `trace` has, of block 0, the clock of each warp at the beginning of 16 of the rounds.
#define MARKS 16

__device__ unsigned now() {
    unsigned cycles;
    asm volatile("mov.u32 %0, %%clock;" : "=r"(cycles)::"memory");
    return cycles;
}

extern "C" __global__ void warps_apart(float* __restrict__ out, float a, float b, int rounds, unsigned delay, unsigned* __restrict__ trace) {
    constexpr int length = LENGTH / 4;
    const unsigned warp = threadIdx.x / 32, every = rounds / MARKS;
    unsigned next = 0, at = 0;
    float w = threadIdx.x, x = w + 1.0f, y = w + 2.0f, z = w + 3.0f;
    const unsigned begin = now();
    while (now() - begin < warp * delay) {}
#pragma unroll 1
    for (int r = 0; r < rounds; ++r) {
        if (r == next && at < MARKS) {
            if (threadIdx.x % 32 == 0 && blockIdx.x == 0) trace[warp * MARKS + at] = now();
            next += every;
            ++at;
        }
#pragma unroll
        for (int k = 0; k < length; ++k) {
            w = w * a + b;
            x = x * a + b;
            y = y * a + b;
            z = z * a + b;
        }
    }
    out[blockIdx.x * BLOCK_SIZE + threadIdx.x] = w + x + y + z;
}
