// When blocks of the same work begin and end that compute alone: each thread goes through ROUNDS x 32 additions in CHAINS chains.
// Of each block: its SM, and its clock at the beginning and at the end.
extern "C" __global__ void __launch_bounds__(BLOCK_SIZE)
tail_blocks(unsigned* __restrict__ out, long long* __restrict__ trace, unsigned a, unsigned b) {
    const long long began = clock64();
    unsigned sum[CHAINS];
#pragma unroll
    for (int i = 0; i < CHAINS; ++i) sum[i] = threadIdx.x + i;
#pragma unroll 1
    for (int round = 0; round < ROUNDS; ++round)
#pragma unroll
        for (int i = 0; i < 32; ++i) asm volatile("lop3.b32 %0, %0, %1, %2, 0x96;" : "+r"(sum[i % CHAINS]) : "r"(a), "r"(b));
    unsigned all = 0;
#pragma unroll
    for (int i = 0; i < CHAINS; ++i) all += sum[i];
    out[blockIdx.x * BLOCK_SIZE + threadIdx.x] = all;
    if (threadIdx.x == 0) {
        unsigned sm;
        asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
        trace[3 * blockIdx.x] = sm;
        trace[3 * blockIdx.x + 1] = began;
        trace[3 * blockIdx.x + 2] = clock64();
    }
}
