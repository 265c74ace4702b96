// CHAINS chains of packed half-precision multiply-adds; MIX alternates them with single precision.
__device__ unsigned fma_half2(unsigned a, unsigned b, unsigned c) {
    unsigned d;
    asm("fma.rn.f16x2 %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c));
    return d;
}

extern "C" __global__ void half2_chain(unsigned* __restrict__ out, unsigned a, unsigned b, int steps) {
    unsigned x[CHAINS];
    float y[CHAINS];
#pragma unroll
    for (int c = 0; c < CHAINS; ++c) {
        x[c] = threadIdx.x * 0x00010001u + c;
        y[c] = threadIdx.x + c;
    }
#pragma unroll 8
    for (int s = 0; s < steps; ++s)
#pragma unroll
        for (int c = 0; c < CHAINS; ++c) {
            x[c] = fma_half2(x[c], a, b);
#if MIX
            y[c] = y[c] * 0.999f + 0.001f;
#endif
        }
    unsigned sum = 0;
#pragma unroll
    for (int c = 0; c < CHAINS; ++c) sum += x[c] + (unsigned)y[c];
    out[blockIdx.x * BLOCK_SIZE + threadIdx.x] = sum;
}
