// Ends are kept warm: the numbers beyond them equal the first and the last.
constexpr int N = 8388608, TILE = PER * THREADS, OUT = TILE - 2 * STEPS;

extern "C" __global__ void __launch_bounds__(THREADS)
heat1d_f64_steps_in_tile(const double* __restrict__ u, double* __restrict__ v)
{
    __shared__ double tile[BUFFERS][TILE];
    const int t = threadIdx.x, start = blockIdx.x * OUT - STEPS;
#pragma unroll
    for (int i = 0; i < PER; ++i) tile[0][t + i * THREADS] = u[min(max(start + t + i * THREADS, 0), N - 1)];
    __syncthreads();
    int side = 0;
#pragma unroll 1
    for (int s = 0; s < STEPS; ++s) {
        double f[PER];
#pragma unroll
        for (int i = 0; i < PER; ++i) {
            const int k = t + i * THREADS, at = start + k;
            const double own = tile[side][k];
            const double left = at <= 0 || k == 0 ? own : tile[side][k - 1], right = at >= N - 1 || k == TILE - 1 ? own : tile[side][k + 1];
            f[i] = fma(0.23, left + right - 2.0 * own, own);
        }
        if (BUFFERS == 1) __syncthreads();
        else side ^= 1;
#pragma unroll
        for (int i = 0; i < PER; ++i) tile[side][t + i * THREADS] = f[i];
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < PER; ++i) {
        const int k = t + i * THREADS, at = start + k;
        if (k >= STEPS && k < TILE - STEPS && at < N) v[at] = tile[side][k];
    }
}
