// CHAINS interleaved walks a thread, neighbouring threads on neighbouring words: dependent but coalesced loads.
extern "C" __global__ void chain_walk(const unsigned* __restrict__ data, unsigned* __restrict__ out, unsigned mask,
                                      unsigned jump, int steps) {
    unsigned at[CHAINS];
#pragma unroll
    for (int c = 0; c < CHAINS; ++c) at[c] = (blockIdx.x * BLOCK_SIZE * CHAINS + c * BLOCK_SIZE + threadIdx.x) & mask;
    for (int s = 0; s < steps; ++s)
#pragma unroll
        for (int c = 0; c < CHAINS; ++c) at[c] = (data[at[c]] + jump) & mask;
    unsigned sum = 0;
#pragma unroll
    for (int c = 0; c < CHAINS; ++c) sum += at[c];
    out[blockIdx.x * BLOCK_SIZE + threadIdx.x] = sum;
}
