// Implied volatilities of European calls by a fixed number of Newton steps, one or two options a thread, exact or fast
// functions.
__device__ __forceinline__ float normal_cdf(float x)
{
#if FAST
    const float k = __fdividef(1.0f, 1.0f + 0.2316419f * fabsf(x));
    const float poly = k * (0.31938153f + k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f))));
    const float tail = 0.39894228f * __expf(-0.5f * x * x) * poly;
    return x > 0.0f ? 1.0f - tail : tail;
#else
    return 0.5f * erfcf(-0.70710678f * x);
#endif
}

extern "C" __global__ void implied_vol_newton(const float* __restrict__ prices, const float* __restrict__ strikes,
                                              const float* __restrict__ years, float* __restrict__ vols, int count)
{
#pragma unroll
    for (int e = 0; e < EACH; ++e) {
        const int i = (blockIdx.x * EACH + e) * THREADS + threadIdx.x;
        if (i >= count) return;
        const float strike = 0.8f + 0.4f * strikes[i], t = 0.25f + years[i], root = sqrtf(t);
        const float discounted = strike * (FAST ? __expf(-0.02f * t) : expf(-0.02f * t));
        const float price = fmaxf(1.0f - discounted, 0.0f) + 0.05f + 0.1f * prices[i];
        const float moneyness = (FAST ? -__logf(discounted) : -logf(discounted));
        float sigma = 0.3f;
#pragma unroll 1
        for (int step = 0; step < ITERATIONS; ++step) {
            const float scaled = sigma * root, d1 = (FAST ? __fdividef(moneyness, scaled) : moneyness / scaled) + 0.5f * scaled;
            const float value = normal_cdf(d1) - discounted * normal_cdf(d1 - scaled);
            const float vega = root * 0.39894228f * (FAST ? __expf(-0.5f * d1 * d1) : expf(-0.5f * d1 * d1));
            const float change = FAST ? __fdividef(value - price, vega) : (value - price) / vega;
            sigma = fminf(fmaxf(sigma - change, 0.02f), 3.0f);
        }
        vols[i] = sigma;
    }
}
