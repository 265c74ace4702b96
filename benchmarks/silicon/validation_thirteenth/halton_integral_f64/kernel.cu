// Quasi Monte Carlo by radical inverses, whose digits come by division by constants.
template <unsigned BASE> __device__ __forceinline__ double inverse(unsigned n)
{
    if (WHOLE) {
        unsigned long long digits = 0, power = 1;
        while (n) {
            const unsigned q = n / BASE;
            digits = digits * BASE + (n - q * BASE);
            power *= BASE;
            n = q;
        }
        return (double)digits / (double)power;
    }
    constexpr double by = 1.0 / BASE;
    double v = 0.0, f = by;
    while (n) {
        const unsigned q = n / BASE;
        v += f * (n - q * BASE);
        f *= by;
        n = q;
    }
    return v;
}

extern "C" __global__ void __launch_bounds__(THREADS)
halton_integral_f64(double* __restrict__ sums)
{
    __shared__ double part[THREADS / 32];
    double sum = 0.0;
#pragma unroll 1
    for (int e = 0; e < EACH; ++e) {
        const unsigned n = (blockIdx.x * EACH + e) * THREADS + threadIdx.x + 1;
        double f = fma(inverse<2>(n), 1.5, 0.25);
        f *= fma(inverse<3>(n), 1.5, 0.25);
        f *= fma(inverse<5>(n), 1.5, 0.25);
        if (DIMS > 3) {
            f *= fma(inverse<7>(n), 1.5, 0.25);
            f *= fma(inverse<11>(n), 1.5, 0.25);
            f *= fma(inverse<13>(n), 1.5, 0.25);
        }
        sum += f;
    }
#pragma unroll
    for (int d = 16; d; d >>= 1) sum += __shfl_xor_sync(~0u, sum, d);
    if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int w = 1; w < THREADS / 32; ++w) sum += part[w];
        sums[blockIdx.x] = sum;
    }
}
