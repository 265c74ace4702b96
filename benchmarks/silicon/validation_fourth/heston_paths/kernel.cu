// Heston's model by Monte Carlo: price and variance of a path step together by correlated normal numbers from xorwow
// and Box and Muller, full truncation, exact or fast functions.
extern "C" __global__ void __launch_bounds__(THREADS)
heston_paths(const unsigned* __restrict__ seeds, float* __restrict__ payoffs, float strike, float rho)
{
    __shared__ float part[THREADS / 32];
    const int path = blockIdx.x * THREADS + threadIdx.x;
    unsigned x = seeds[path] | 1, y = 362436069u, z = 521288629u, w = 88675123u, v = 5783321u, d = path;
    auto next = [&]() {
        const unsigned t = x ^ x >> 2;
        x = y;
        y = z;
        z = w;
        w = v;
        v = (v ^ v << 4) ^ (t ^ t << 1);
        d += 362437;
        return ((d + v) >> 8) * 5.9604645e-8f + 2.9802322e-8f;
    };
    constexpr float DT = 1.0f / STEPS, KAPPA = 1.5f, THETA = 0.04f, XI = 0.3f, RATE = 0.02f;
    const float root_dt = sqrtf(DT), other = sqrtf(1.0f - rho * rho);
    float log_price = 0.0f, variance = 0.04f;
#pragma unroll 2
    for (int s = 0; s < STEPS; ++s) {
        const float u1 = next(), u2 = next();
#if FAST
        const float radius = sqrtf(-2.0f * __logf(u1));
        float sine, cosine;
        __sincosf(6.2831853f * u2, &sine, &cosine);
#else
        const float radius = sqrtf(-2.0f * logf(u1));
        float sine, cosine;
        sincospif(2.0f * u2, &sine, &cosine);
#endif
        const float z1 = radius * cosine, z2 = rho * z1 + other * radius * sine;
        const float positive = fmaxf(variance, 0.0f), root = sqrtf(positive);
        log_price += (RATE - 0.5f * positive) * DT + root * root_dt * z1;
        variance += KAPPA * (THETA - positive) * DT + XI * root * root_dt * z2;
    }
    float payoff = fmaxf(expf(log_price) - strike, 0.0f);
#pragma unroll
    for (int m = 16; m > 0; m >>= 1) payoff += __shfl_xor_sync(0xffffffff, payoff, m);
    if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = payoff;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int i = 1; i < THREADS / 32; ++i) payoff += part[i];
        payoffs[blockIdx.x] = payoff;
    }
}
