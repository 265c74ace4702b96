// CHAINS independent double-precision multiply-add chains a thread.
extern "C" __global__ void fp64_chain(double* __restrict__ out, double a, double b, int steps) {
    constexpr int unroll = UNROLL;
    double x[CHAINS];
#pragma unroll
    for (int c = 0; c < CHAINS; ++c) x[c] = threadIdx.x + c;
#pragma unroll unroll
    for (int s = 0; s < steps; ++s)
#pragma unroll
        for (int c = 0; c < CHAINS; ++c) x[c] = x[c] * a + b;
    double sum = 0.0;
#pragma unroll
    for (int c = 0; c < CHAINS; ++c) sum += x[c];
    out[blockIdx.x * BLOCK_SIZE + threadIdx.x] = sum;
}
