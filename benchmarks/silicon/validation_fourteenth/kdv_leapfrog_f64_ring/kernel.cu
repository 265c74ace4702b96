// Zabusky and Kruskal's scheme: two neighbours on each side.
constexpr int N = 8388608, TILE = PER * THREADS;

extern "C" __global__ void __launch_bounds__(THREADS)
kdv_leapfrog_f64_ring(const double* __restrict__ now, const double* __restrict__ before, double* __restrict__ after)
{
    __shared__ double tile[STAGED ? TILE + 4 : 1];
    const int t = threadIdx.x, start = blockIdx.x * TILE;
    if (STAGED) {
        for (int i = t; i < TILE + 4; i += THREADS) tile[i] = now[(start + i - 2) & (N - 1)];
        __syncthreads();
    }
#pragma unroll
    for (int k = 0; k < PER; ++k) {
        const int at = t + k * THREADS;
        double u[5];
#pragma unroll
        for (int j = 0; j < 5; ++j) u[j] = STAGED ? tile[STAGED ? at + j : 0] : now[(start + at + j - 2) & (N - 1)];
        after[start + at] = before[start + at] - 0.03 * (u[3] + u[2] + u[1]) * (u[3] - u[1]) - 0.005 * (u[4] - 2.0 * u[3] + 2.0 * u[1] - u[0]);
    }
}
