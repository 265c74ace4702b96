// A warp marches down a strip; each time step follows one row behind the one before. Borders are fixed.
constexpr int SIDE = 2048, USEFUL = 32 - 2 * STEPS;

extern "C" __global__ void __launch_bounds__(32 * WARPS)
jacobi_shuffle_2d(const float* __restrict__ u, float* __restrict__ v, int strips)
{
    const int lane = threadIdx.x % 32, strip = blockIdx.x * WARPS + threadIdx.x / 32, y0 = blockIdx.y * ROWS;
    if (strip >= strips) return;
    const int x = strip * USEFUL - STEPS + lane, column = min(max(x, 0), SIDE - 1);
    const bool fixed = x <= 0 || x >= SIDE - 1;
    const bool stored = lane >= STEPS && lane < 32 - STEPS && x < SIDE;
    float older[STEPS] = {}, middle[STEPS] = {};
#pragma unroll 4
    for (int y = y0 - STEPS; y < y0 + ROWS + STEPS; ++y) {
        float now = u[min(max(y, 0), SIDE - 1) * SIDE + column];
#pragma unroll
        for (int s = 0; s < STEPS; ++s) {
            const float centre = middle[s];
            const float left = __shfl_up_sync(0xffffffff, centre, 1), right = __shfl_down_sync(0xffffffff, centre, 1);
            const int row = y - s - 1;
            const float next = fixed || row <= 0 || row >= SIDE - 1 ? centre : 0.25f * (older[s] + now + left + right);
            older[s] = centre;
            middle[s] = now;
            now = next;
        }
        const int row = y - STEPS;
        if (stored && row >= y0) v[row * SIDE + x] = now;
    }
}
