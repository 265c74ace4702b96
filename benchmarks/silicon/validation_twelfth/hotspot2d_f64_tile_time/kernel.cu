// STEPS steps of the temperatures of a chip in FP64: tiles with rims in two copies in shared memory, power read once.
constexpr int N = 1024, SIDE = TILE - 2 * STEPS;

extern "C" __global__ void __launch_bounds__(TILE * BY)
hotspot2d_f64_tile_time(const double* __restrict__ temperature, const double* __restrict__ power, double* __restrict__ out)
{
    __shared__ double now[2][TILE][TILE];
    constexpr int PER = TILE / BY;
    const int x = blockIdx.x * SIDE + threadIdx.x - STEPS, y0 = blockIdx.y * SIDE - STEPS, cx = min(max(x, 0), N - 1);
    double p[PER];
#pragma unroll
    for (int i = 0; i < PER; ++i) {
        const int r = threadIdx.y + i * BY, cy = min(max(y0 + r, 0), N - 1);
        now[0][r][threadIdx.x] = temperature[cy * N + cx];
        p[i] = power[cy * N + cx];
    }
    __syncthreads();
#pragma unroll
    for (int s = 0; s < STEPS; ++s) {
#pragma unroll
        for (int i = 0; i < PER; ++i) {
            const int r = threadIdx.y + i * BY, c = threadIdx.x;
            const double t = now[s % 2][r][c];
            const double up = now[s % 2][max(r - 1, 0)][c], down = now[s % 2][min(r + 1, TILE - 1)][c];
            const double left = now[s % 2][r][max(c - 1, 0)], right = now[s % 2][r][min(c + 1, TILE - 1)];
            now[1 - s % 2][r][c] = t + 0.1 * (p[i] + 0.4 * (up + down - 2.0 * t) + 0.3 * (left + right - 2.0 * t) + 0.05 * (80.0 - t));
        }
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < PER; ++i) {
        const int r = threadIdx.y + i * BY, y = y0 + r;
        if (threadIdx.x >= STEPS && threadIdx.x < TILE - STEPS && r >= STEPS && r < TILE - STEPS && x < N && y < N)
            out[y * N + x] = now[STEPS % 2][r][threadIdx.x];
    }
}
