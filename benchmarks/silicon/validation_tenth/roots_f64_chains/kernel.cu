// OP: 0 square root, 1 reciprocal square root, 2 division.
constexpr int U = UNROLL;

extern "C" __global__ void __launch_bounds__(128)
roots_f64_chains(const double* __restrict__ x, double* __restrict__ y)
{
    double f[EACH];
    const int first = blockIdx.x * EACH * 128 + threadIdx.x;
#pragma unroll
    for (int e = 0; e < EACH; ++e) f[e] = x[first + e * 128];
#pragma unroll U
    for (int i = 0; i < 32; ++i)
#pragma unroll
        for (int e = 0; e < EACH; ++e)
            f[e] = OP == 0 ? sqrt(f[e] + 0.75) : OP == 1 ? rsqrt(f[e] + 0.5) : 1.5 / (f[e] + 0.75);
#pragma unroll
    for (int e = 0; e < EACH; ++e) y[first + e * 128] = f[e];
}
