// Logarithms of prices move by normal numbers from a multiplicative generator; two steps for each pair of numbers.
extern "C" __global__ void __launch_bounds__(128)
knockout_option_paths(const float* __restrict__ spot, float* __restrict__ value)
{
    float s[EACH];
    unsigned state[EACH];
    bool alive[EACH];
    const float drift = 0.02f / STEPS, sigma = 0.3f * rsqrtf((float)STEPS);
#pragma unroll
    for (int e = 0; e < EACH; ++e) {
        const int i = (blockIdx.x * EACH + e) * 128 + threadIdx.x;
        s[e] = 0.1f * spot[i];
        state[e] = (i + 1) * 2654435761u | 1u;
        alive[e] = true;
    }
#pragma unroll 1
    for (int k = 0; k < STEPS; k += 2) {
        bool any = false;
#pragma unroll
        for (int e = 0; e < EACH; ++e) {
            state[e] = state[e] * 1664525u + 1013904223u;
            const float u = ((state[e] >> 9) + 0.5f) * (1.0f / 8388608.0f);
            state[e] = state[e] * 1664525u + 1013904223u;
            const float w = (state[e] >> 9) * (1.0f / 8388608.0f);
            float radius, a, b;
            if (FAST) {
                const float q = fmaxf(-2.0f * __logf(u), 1.0e-12f);
                radius = q * rsqrtf(q);
                __sincosf(6.2831853f * w, &a, &b);
            } else {
                radius = sqrtf(-2.0f * logf(u));
                sincospif(2.0f * w, &a, &b);
            }
            s[e] += drift + sigma * radius * a;
            alive[e] = alive[e] && s[e] < 0.25f;
            s[e] += drift + sigma * radius * b;
            alive[e] = alive[e] && s[e] < 0.25f;
            any = any || alive[e];
        }
        if (EARLY && !any) break;
    }
#pragma unroll
    for (int e = 0; e < EACH; ++e)
        value[(blockIdx.x * EACH + e) * 128 + threadIdx.x] = alive[e] ? fmaxf(__expf(s[e]) - 1.0f, 0.0f) : 0.0f;
}
