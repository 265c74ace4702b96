// CHAINS chains of multiply-add, xor, shift, population count and leading zeros.
extern "C" __global__ void integer_chain(unsigned* __restrict__ out, unsigned a, unsigned b, int steps) {
    constexpr int unroll = UNROLL;
    unsigned x[CHAINS];
#pragma unroll
    for (int c = 0; c < CHAINS; ++c) x[c] = threadIdx.x + c;
#pragma unroll unroll
    for (int s = 0; s < steps; ++s)
#pragma unroll
        for (int c = 0; c < CHAINS; ++c) {
            x[c] = x[c] * a + b;
            x[c] ^= x[c] >> 7;
#if COUNT_BITS
            x[c] += __popc(x[c]) + __clz(x[c]);
#endif
            x[c] = (x[c] << 3) - x[c];
        }
    unsigned sum = 0;
#pragma unroll
    for (int c = 0; c < CHAINS; ++c) sum ^= x[c];
    out[blockIdx.x * BLOCK_SIZE + threadIdx.x] = sum;
}
