// Asian option: paths of geometric Brownian motion, two steps a pair of normal numbers.
// The generator is xorshift or a linear congruence; PATHS_EACH paths run side by side in a thread.
__device__ unsigned next(unsigned& s) {
    if (GENERATOR) {
        s = s * 1664525u + 1013904223u;
        return s ^ s >> 16;
    }
    s ^= s << 13;
    s ^= s >> 17;
    s ^= s << 5;
    return s;
}

extern "C" __global__ void monte_carlo_paths(float* __restrict__ payoff, float drift, float volatility, int steps) {
    unsigned state[PATHS_EACH];
    float price[PATHS_EACH], mean[PATHS_EACH];
    int base = blockIdx.x * PATHS_EACH * BLOCK_SIZE + threadIdx.x;
#pragma unroll
    for (int p = 0; p < PATHS_EACH; ++p) {
        state[p] = (base + p * BLOCK_SIZE) * 2654435761u + 1u;
        price[p] = 1.0f;
        mean[p] = 0.0f;
    }
    for (int s = 0; s < steps; ++s)
#pragma unroll
        for (int p = 0; p < PATHS_EACH; ++p) {
            float u = (next(state[p]) >> 8) * 5.9604645e-8f + 2.9802322e-8f;
            float v = (next(state[p]) >> 8) * 5.9604645e-8f;
            float r = sqrtf(-2.0f * __logf(u)), sine, cosine;
            __sincosf(6.2831853f * v, &sine, &cosine);
            price[p] *= __expf(drift + volatility * r * cosine);
            mean[p] += price[p];
            price[p] *= __expf(drift + volatility * r * sine);
            mean[p] += price[p];
        }
#pragma unroll
    for (int p = 0; p < PATHS_EACH; ++p)
        payoff[base + p * BLOCK_SIZE] = fmaxf(mean[p] / (2 * steps) - 1.0f, 0.0f);
}
