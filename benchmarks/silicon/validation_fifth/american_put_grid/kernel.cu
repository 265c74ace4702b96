// 100 time steps over POINTS prices on a logarithmic grid, with exercise at every step; values are in shared memory.
constexpr int THREADS = POINTS / EACH, STEPS = 100;

extern "C" __global__ void __launch_bounds__(THREADS)
american_put_grid(const float* __restrict__ volatility, const float* __restrict__ strike, float* __restrict__ value)
{
    __shared__ float v[BUFFERS][POINTS + 2];
    const int t = threadIdx.x;
    const float level = 0.75f + 0.5f * strike[blockIdx.x], alpha = 0.2f + 0.2f * volatility[blockIdx.x];
    const float a = alpha - 0.005f, c = alpha + 0.004f, b = 1.0f - 2.0f * alpha;
    float payoff[EACH];
#pragma unroll
    for (int e = 0; e < EACH; ++e) {
        const int i = e * THREADS + t;
        payoff[e] = fmaxf(level - __expf((i - POINTS / 2) * 0.01f), 0.0f);
        v[0][i + 1] = payoff[e];
    }
    if (t < BUFFERS) {
        v[t][0] = fmaxf(level - __expf((-1 - POINTS / 2) * 0.01f), 0.0f);
        v[t][POINTS + 1] = 0.0f;
    }
    __syncthreads();
#pragma unroll 2
    for (int step = 0; step < STEPS; ++step) {
        const float* from = v[step % BUFFERS];
        float* to = v[(step + 1) % BUFFERS];
        float next[EACH];
#pragma unroll
        for (int e = 0; e < EACH; ++e) {
            const int i = e * THREADS + t;
            next[e] = fmaxf(payoff[e], a * from[i] + b * from[i + 1] + c * from[i + 2]);
        }
        if (BUFFERS == 1) __syncthreads();
#pragma unroll
        for (int e = 0; e < EACH; ++e) to[e * THREADS + t + 1] = next[e];
        __syncthreads();
    }
    if (t == 0) value[blockIdx.x] = v[STEPS % BUFFERS][POINTS / 2 + 1];
}
