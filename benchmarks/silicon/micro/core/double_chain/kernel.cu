// Cycles of double-precision operations, like operation_chain.
extern "C" __global__ void double_chain(long long* __restrict__ cycles, double* __restrict__ sink, double a, double b) {
    double x[CHAINS];
#pragma unroll
    for (int c = 0; c < CHAINS; ++c) x[c] = threadIdx.x + c;
    long long first = 0;
#pragma unroll 1
    for (int pass = 0; pass < 2; ++pass) {
        __syncthreads();
        first = clock64();
#pragma unroll 1
        for (int r = 0; r < 16; ++r) {
#pragma unroll
            for (int k = 0; k < 32; ++k)
#pragma unroll
                for (int c = 0; c < CHAINS; ++c) {
#if OP == 0
                    asm volatile("fma.rn.f64 %0, %0, %1, %2;" : "+d"(x[c]) : "d"(a), "d"(b));
#elif OP == 1
                    asm volatile("add.rn.f64 %0, %0, %1;" : "+d"(x[c]) : "d"(a));
#else
                    asm volatile("mul.rn.f64 %0, %0, %1;" : "+d"(x[c]) : "d"(a));
#endif
                }
        }
    }
    cycles[blockIdx.x * blockDim.x + threadIdx.x] = clock64() - first;
    double sum = 0.0;
#pragma unroll
    for (int c = 0; c < CHAINS; ++c) sum += x[c];
    sink[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
