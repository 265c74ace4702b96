// When the blocks of an SM begin and end that do the same work: each warp reads, or copies, ROUNDS rows of 128 bytes that
// lie `stride` floats apart. Of each block: its SM, and its clock at the beginning and at the end.
extern "C" __global__ void __launch_bounds__(BLOCK_SIZE)
block_ends(const float* __restrict__ rows, float* __restrict__ out, long long* __restrict__ trace, int stride) {
    const long long began = clock64();
    const int i = blockIdx.x * BLOCK_SIZE + threadIdx.x;
    float sum = 0;
#pragma unroll UNROLL
    for (int round = 0; round < ROUNDS; ++round) {
        const float x = rows[(size_t)round * stride + i];
#if COPIES
        out[(size_t)round * stride + i] = x + sum;
#endif
        sum += x;
    }
    if (!COPIES) out[i] = sum;
    __syncthreads();
    if (threadIdx.x == 0) {
        unsigned sm;
        asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
        trace[3 * blockIdx.x] = sm;
        trace[3 * blockIdx.x + 1] = began;
        trace[3 * blockIdx.x + 2] = clock64();
    }
}
