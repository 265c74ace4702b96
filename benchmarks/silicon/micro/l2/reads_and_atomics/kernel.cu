// READS loads past L1 and ATOMICS reductions (with a returned value if RETURNS) a step: whole lines drawn at random, from
// 16 MiB to read and 8 MiB to add to, which L2 holds.
extern "C" __global__ void __launch_bounds__(512) reads_and_atomics(const unsigned* __restrict__ data, unsigned* __restrict__ sums,
                                                                     unsigned* __restrict__ out, int steps) {
    const unsigned thread = blockIdx.x * 512 + threadIdx.x, lane = threadIdx.x % 32;
    unsigned seed = thread / 32 * 0x9E3779B1u, sum = 0;
#pragma unroll 2
    for (int s = 0; s < steps; ++s) {
#pragma unroll
        for (int i = 0; i < READS; ++i) {
            seed = seed * 1664525u + 1013904223u;
            sum += __ldcg(data + (seed >> 8) % 131072 * 32 + lane);
        }
#pragma unroll
        for (int i = 0; i < ATOMICS; ++i) {
            seed = seed * 1664525u + 1013904223u;
            unsigned* at = sums + (seed >> 8) % 65536 * 32 + lane;
#if RETURNS
            unsigned old;
            asm volatile("atom.global.add.u32 %0, [%1], 1;" : "=r"(old) : "l"(at) : "memory");
            sum += old;
#else
            asm volatile("red.global.add.u32 [%0], 1;" ::"l"(at) : "memory");
#endif
        }
    }
    out[thread] = sum;
}
