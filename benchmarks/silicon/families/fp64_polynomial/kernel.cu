// Horner's rule of degree DEGREE in double precision over a streamed array, coefficients in constant memory.
__constant__ double coefficient[16] = {0.5,  0.25, -0.125, 0.0625, 0.3,  -0.15, 0.075, 0.0375,
                                       0.01, 0.02, 0.03,   -0.04,  0.05, 0.06,  -0.07, 0.08};

extern "C" __global__ void fp64_polynomial(const double* __restrict__ input, double* __restrict__ out, int n) {
    constexpr int unroll = UNROLL;
    int threads = gridDim.x * BLOCK_SIZE;
#pragma unroll unroll
    for (int i = blockIdx.x * BLOCK_SIZE + threadIdx.x; i < n; i += threads) {
        double x = input[i];
        double y = coefficient[DEGREE - 1];
#pragma unroll
        for (int k = DEGREE - 2; k >= 0; --k) y = y * x + coefficient[k];
        out[i] = y;
    }
}
