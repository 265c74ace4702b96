// Walks back through the tree, level by level, with one barrier a level if there are two buffers and two if the level
// is overwritten in place.
extern "C" __global__ void binomial_tree(const float* __restrict__ strike, const float* __restrict__ spot,
                                         float* __restrict__ price)
{
    constexpr int per_thread = STEPS / THREADS;
    __shared__ float level[TWO_BUFFERS ? 2 : 1][STEPS + 1];
    const float k = 90.0f + 20.0f * strike[blockIdx.x], s = 90.0f + 20.0f * spot[blockIdx.x];
    const float dt = 1.0f / STEPS, step = 0.3f * sqrtf(dt), u = expf(step), growth = expf(0.05f * dt);
    const float p = (growth - 1.0f / u) / (u - 1.0f / u), discount = 1.0f / growth;
    for (int i = threadIdx.x; i <= STEPS; i += THREADS) level[0][i] = fmaxf(k - s * expf(step * (2 * i - STEPS)), 0.0f);
    __syncthreads();

    float exercise[per_thread];
#pragma unroll
    for (int n = 0; n < per_thread; ++n)
        exercise[n] = s * expf(step * (2 * ((int)threadIdx.x + n * THREADS) - STEPS + 1));
    int now = 0;
    for (int t = STEPS - 1; t >= 0; --t) {
        float next[per_thread];
#pragma unroll
        for (int n = 0; n < per_thread; ++n) {
            const int i = threadIdx.x + n * THREADS;
            if (i <= t) {
                const float hold = discount * (p * level[now][i + 1] + (1.0f - p) * level[now][i]);
                next[n] = fmaxf(hold, k - exercise[n]);
                exercise[n] *= u;
                if (TWO_BUFFERS) level[now ^ 1][i] = next[n];
            }
        }
        __syncthreads();
        if (TWO_BUFFERS) {
            now ^= 1;
        } else {
#pragma unroll
            for (int n = 0; n < per_thread; ++n)
                if ((int)threadIdx.x + n * THREADS <= t) level[0][threadIdx.x + n * THREADS] = next[n];
            __syncthreads();
        }
    }
    if (threadIdx.x == 0) price[blockIdx.x] = level[now][0];
}
