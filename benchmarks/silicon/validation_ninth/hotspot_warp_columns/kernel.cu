// 2,016 x 2,016 cells in an array of 2,032 x 2,032; columns and rows at a tile's edges become invalid step by step.
constexpr int PITCH = 2032, WIDE = 32 - 2 * STEPS, HIGH = ROWS - 2 * STEPS;

extern "C" __global__ void __launch_bounds__(32 * WARPS)
hotspot_warp_columns(const float* __restrict__ t, const float* __restrict__ power, float* __restrict__ out)
{
    const int lane = threadIdx.x, c = (blockIdx.x * WARPS + threadIdx.y) * WIDE + lane - STEPS + 8;
    const int at = (blockIdx.y * HIGH - STEPS + 8) * PITCH + c;
    __shared__ float ps[HELD ? 1 : ROWS][32 * WARPS];
    float v[ROWS], p[HELD ? ROWS : 1];
    float* column = &ps[0][threadIdx.y * 32 + lane];
#pragma unroll
    for (int r = 0; r < ROWS; ++r) {
        v[r] = t[at + r * PITCH];
        if (HELD) p[r] = power[at + r * PITCH];
        else column[r * 32 * WARPS] = power[at + r * PITCH];
    }
    if (!HELD) __syncwarp();
#pragma unroll
    for (int s = 1; s <= STEPS; ++s) {
        float above = v[s - 1];
#pragma unroll
        for (int r = s; r < ROWS - s; ++r) {
            const float left = __shfl_up_sync(~0u, v[r], 1), right = __shfl_down_sync(~0u, v[r], 1), now = v[r];
            v[r] = now + 0.1f * (left + right - 2.0f * now) + 0.1f * (above + v[r + 1] - 2.0f * now)
                 + 0.01f * (0.5f - now) + 0.05f * (HELD ? p[r] : column[r * 32 * WARPS]);
            above = now;
        }
    }
    if (lane >= STEPS && lane < 32 - STEPS)
#pragma unroll
        for (int r = STEPS; r < ROWS - STEPS; ++r) out[at + r * PITCH] = v[r];
}
