// Lax-Wendroff on 4,194,304 cells; ends are held. Groups of threads compute pieces with STEPS more cells on either side.
constexpr int N = 4194304, GROUP = IN_SHARED ? THREADS : 32, WIDTH = GROUP * ITEMS, USEFUL = WIDTH - 2 * STEPS;

extern "C" __global__ void __launch_bounds__(THREADS)
advect1d_trapezoid(const float* __restrict__ x, float* __restrict__ y)
{
    __shared__ float left[2][THREADS + 2], right[2][THREADS + 2];
    const int t = threadIdx.x, member = t % GROUP, piece = blockIdx.x * (THREADS / GROUP) + t / GROUP;
    const int start = piece * USEFUL - STEPS + member * ITEMS;
    float u[ITEMS];
#pragma unroll
    for (int i = 0; i < ITEMS; ++i) u[i] = x[min(max(start + i, 0), N - 1)];
#pragma unroll 2
    for (int s = 0; s < STEPS; ++s) {
        float before, after;
        if (IN_SHARED) {
            left[s % 2][t + 1] = u[0];
            right[s % 2][t + 1] = u[ITEMS - 1];
            __syncthreads();
            before = t > 0 ? right[s % 2][t] : u[0];
            after = t < THREADS - 1 ? left[s % 2][t + 2] : u[ITEMS - 1];
        } else {
            before = __shfl_up_sync(~0u, u[ITEMS - 1], 1);
            after = __shfl_down_sync(~0u, u[0], 1);
        }
        float w[ITEMS];
#pragma unroll
        for (int i = 0; i < ITEMS; ++i) {
            const float a = i ? u[i - 1] : before, c = i < ITEMS - 1 ? u[i + 1] : after;
            w[i] = u[i] - 0.2f * (c - a) + 0.08f * (c - 2.0f * u[i] + a);
        }
#pragma unroll
        for (int i = 0; i < ITEMS; ++i) u[i] = w[i];
    }
#pragma unroll
    for (int i = 0; i < ITEMS; ++i) {
        const int at = member * ITEMS + i;
        if (at >= STEPS && at < WIDTH - STEPS && start + i < N) y[start + i] = u[i];
    }
}
