// Full truncation Milstein steps; a pair of normal numbers serves two steps.
constexpr double DT = 1.0 / STEPS, KAPPA = 0.6, THETA = 0.04, SIGMA = 0.15;

__device__ __forceinline__ double uniform(unsigned long long& s)
{
    s += 0x9e3779b97f4a7c15ull;
    unsigned long long z = s;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
    return ((double)((z ^ (z >> 31)) >> 11) + 0.5) * (1.0 / 9007199254740992.0);
}

__device__ __forceinline__ void step(double& r, double& sum, double z)
{
    const double p = fmax(r, 0.0), dw = z * sqrt(DT);
    sum += p;
    r += KAPPA * (THETA - p) * DT + SIGMA * sqrt(p) * dw + 0.25 * SIGMA * SIGMA * (dw * dw - DT);
}

extern "C" __global__ void __launch_bounds__(THREADS)
cir_rate_paths_f64(const unsigned long long* __restrict__ seeds, double* __restrict__ price)
{
    constexpr int U = UNROLL / 2;
    const int first = blockIdx.x * THREADS * EACH + threadIdx.x;
    unsigned long long s[EACH];
    double r[EACH], sum[EACH];
#pragma unroll
    for (int e = 0; e < EACH; ++e) {
        s[e] = seeds[first + e * THREADS];
        r[e] = 0.03;
        sum[e] = 0.0;
    }
#pragma unroll U
    for (int k = 0; k < STEPS / 2; ++k)
#pragma unroll
        for (int e = 0; e < EACH; ++e) {
            const double radius = sqrt(-2.0 * log(uniform(s[e])));
            double a, b;
            sincospi(2.0 * uniform(s[e]), &a, &b);
            step(r[e], sum[e], radius * a);
            step(r[e], sum[e], radius * b);
        }
#pragma unroll
    for (int e = 0; e < EACH; ++e) price[first + e * THREADS] = exp(-sum[e] * DT);
}
