// Black-Scholes: call and put from spot, strike and time, the normal distribution by a polynomial.
// FAST uses the approximate logarithm, exponential and division.
struct alignas(4 * VECTOR) Pack { float v[VECTOR]; };
__device__ float normal(float d) {
    float k = 1.0f / (1.0f + 0.2316419f * fabsf(d));
    float p = 0.39894228f * (FAST ? __expf(-0.5f * d * d) : expf(-0.5f * d * d)) *
              (k * (0.31938153f + k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f)))));
    return d > 0.0f ? 1.0f - p : p;
}

extern "C" __global__ void black_scholes(const Pack* __restrict__ spot, const Pack* __restrict__ strike,
                                         const Pack* __restrict__ years, Pack* __restrict__ call,
                                         Pack* __restrict__ put) {
    int i = blockIdx.x * BLOCK_SIZE + threadIdx.x;
    Pack s = spot[i], x = strike[i], t = years[i];
#pragma unroll
    for (int k = 0; k < VECTOR; ++k) {
        float price = 5.0f + 25.0f * s.v[k], target = 1.0f + 99.0f * x.v[k], time = 0.25f + 9.75f * t.v[k];
        float root = sqrtf(time);
        float ratio = FAST ? __logf(__fdividef(price, target)) : logf(price / target);
        float d1 = (ratio + (0.02f + 0.5f * 0.09f) * time) / (0.3f * root), d2 = d1 - 0.3f * root;
        float n1 = normal(d1), n2 = normal(d2);
        float discounted = target * (FAST ? __expf(-0.02f * time) : expf(-0.02f * time));
        s.v[k] = price * n1 - discounted * n2;
        x.v[k] = discounted * (1.0f - n2) - price * (1.0f - n1);
    }
    call[i] = s;
    put[i] = x;
}
