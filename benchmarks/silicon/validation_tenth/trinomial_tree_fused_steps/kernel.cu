// Node j of a level follows from nodes j, j + 1 and j + 2 of the next one; a thread has four nodes at a time.
constexpr int NODES = 2 * STEPS + 1, ROOM = NODES + 4 * THREADS + 16;

extern "C" __global__ void __launch_bounds__(THREADS)
trinomial_tree_fused_steps(const float* __restrict__ strike, float* __restrict__ value)
{
    __shared__ float nodes[2][ROOM];
    const float k = strike[blockIdx.x];
    for (int j = threadIdx.x; j < ROOM; j += THREADS) {
        nodes[0][j] = fmaxf(k - 0.5f * __expf((j - STEPS) * 0.02f), 0.0f);
        nodes[1][j] = 0.0f;
    }
    __syncthreads();
    int turn = 0;
#pragma unroll 1
    for (int level = STEPS - FUSED; level >= 0; level -= FUSED) {
        for (int j0 = threadIdx.x * 4; j0 < 2 * level + 1; j0 += THREADS * 4) {
            float f[4 + 2 * FUSED];
#pragma unroll
            for (int i = 0; i < 4 + 2 * FUSED; ++i) f[i] = nodes[turn][j0 + i];
#pragma unroll
            for (int s = 0; s < FUSED; ++s)
#pragma unroll
                for (int i = 0; i < 2 + 2 * FUSED - 2 * s; ++i) {
                    f[i] = 0.9995f * (0.17f * f[i] + 0.66f * f[i + 1] + 0.17f * f[i + 2]);
                    if (EARLY) f[i] = fmaxf(f[i], k - 0.5f * __expf((j0 + i - (level + FUSED - 1 - s)) * 0.02f));
                }
#pragma unroll
            for (int i = 0; i < 4; ++i) nodes[turn ^ 1][j0 + i] = f[i];
        }
        turn ^= 1;
        __syncthreads();
    }
    if (threadIdx.x == 0) value[blockIdx.x] = nodes[turn][0];
}
