// Lookups in constant memory by the lanes of a warp, which ask for WORDS different words, STRIDE words apart, two at a time.
__constant__ unsigned table[2048];

extern "C" __global__ void constant_lookups(unsigned* out, unsigned zero, int rounds) {
    unsigned a = threadIdx.x % WORDS * STRIDE, b = a + zero;
    for (int round = 0; round < rounds; ++round) {
        a += table[a & 2047];
#if TWO
        b += table[(b ^ 1) & 2047];
#endif
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = a + b;
}
