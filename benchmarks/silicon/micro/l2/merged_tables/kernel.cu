// Blocks that each add a table of BINS words to one in L2, ROUNDS times, as those of a histogram do at their ends: all from
// its beginning on (ROTATED 0), or each from another place. The one in L2 begins `offset` bytes behind a multiple of 4 KiB.
extern "C" __global__ void merged_tables(unsigned* __restrict__ all, unsigned* __restrict__ sink, int rounds, int offset) {
    unsigned* bins = (unsigned*)(((unsigned long long)all + 4095 & ~4095ull) + offset);
    __shared__ unsigned table[BINS];
    for (int i = threadIdx.x; i < BINS; i += blockDim.x) table[i] = i ^ blockIdx.x;
    __syncthreads();
    for (int r = 0; r < rounds; ++r) {
        for (int i = threadIdx.x; i < BINS; i += blockDim.x) {
            const unsigned at = ROTATED ? (i + blockIdx.x * 32) % BINS : i;
#if SINGLE
            asm volatile("red.global.add.f32 [%0], %1;" ::"l"(bins + at), "f"(__uint_as_float(table[i])) : "memory");
#else
            asm volatile("red.global.add.u32 [%0], %1;" ::"l"(bins + at), "r"(table[i]) : "memory");
#endif
        }
    }
    if (table[threadIdx.x % BINS] == 0xFFFFFFFFu) sink[0] = 1;
}
