// A block reads the same footprint again and again: L1 hits below its size, L2 hits above.
extern "C" __global__ void cache_reuse(const float* __restrict__ input, float* __restrict__ out, int words, int passes) {
    constexpr int unroll = UNROLL;
    const float* mine = input + (size_t)blockIdx.x * words;
    float sum = 0.0f;
    for (int p = 0; p < passes; ++p)
#pragma unroll unroll
        for (int i = threadIdx.x; i < words; i += BLOCK_SIZE) sum += mine[i];
    out[blockIdx.x * BLOCK_SIZE + threadIdx.x] = sum;
}
