// A path takes one number of each of 16 dimensions of a Sobol sequence; normal numbers by a rational function with its
// tails apart (0) or by the library's function (1). The direction numbers are a table.
constexpr int DIMS = 16;

__device__ __forceinline__ float inverse_normal(float u)
{
    const float t = u - 0.5f;
    if (fabsf(t) < 0.42f) {
        const float r = t * t;
        return t * (((-25.44106049637f * r + 41.39119773534f) * r - 18.61500062529f) * r + 2.50662823884f) /
               ((((3.13082909833f * r - 21.06224101826f) * r + 23.08336743743f) * r - 8.47351093090f) * r + 1.0f);
    }
    const float s = __logf(-__logf(t > 0.0f ? 1.0f - u : u));
    const float x = 0.3374754822726f + s * (0.9761690190917f + s * (0.1607979714918f + s * (0.0276438810334f + s * 0.0038405729374f)));
    return t > 0.0f ? x : -x;
}

extern "C" __global__ void __launch_bounds__(THREADS)
sobol_barrier_paths(const unsigned* __restrict__ directions, float* __restrict__ payoff)
{
    __shared__ unsigned table[STAGED ? DIMS * 32 : 1];
    if (STAGED) {
        for (int i = threadIdx.x; i < DIMS * 32; i += THREADS) table[STAGED ? i : 0] = directions[i];
        __syncthreads();
    }
    float level[EACH];
    bool alive[EACH];
    unsigned gray[EACH];
#pragma unroll
    for (int e = 0; e < EACH; ++e) {
        const unsigned path = (blockIdx.x * EACH + e) * THREADS + threadIdx.x + 1;
        gray[e] = path ^ path >> 1;
        level[e] = 0.0f;
        alive[e] = true;
    }
#pragma unroll 1
    for (int d = 0; d < DIMS; ++d) {
        unsigned x[EACH] = {};
#pragma unroll
        for (int b = 0; b < 20; ++b) {
            const unsigned v = STAGED ? table[STAGED ? d * 32 + b : 0] : directions[d * 32 + b];
#pragma unroll
            for (int e = 0; e < EACH; ++e) x[e] ^= gray[e] >> b & 1 ? v : 0u;
        }
#pragma unroll
        for (int e = 0; e < EACH; ++e) {
            const float u = (x[e] >> 8) * 5.9604645e-8f + 2.9802322e-8f;
            level[e] += 0.05f * (LIBRARY ? normcdfinvf(u) : inverse_normal(u)) - 0.00125f;
            alive[e] = alive[e] && level[e] > -0.25f;
        }
    }
#pragma unroll
    for (int e = 0; e < EACH; ++e)
        payoff[(blockIdx.x * EACH + e) * THREADS + threadIdx.x] = alive[e] ? fmaxf(__expf(level[e]) - 1.0f, 0.0f) : 0.0f;
}
