// 1,680 x 1,680 cells in an array of 1,696 x 1,696, in tiles of 64 columns.
constexpr int PITCH = 1696;

extern "C" __global__ void __launch_bounds__(64 * TY)
heat9_tile_steps(const float* __restrict__ t, float* __restrict__ out)
{
    __shared__ float tile[2][HIGH][64];
    const int x = threadIdx.x;
    const int at = (blockIdx.y * (HIGH - 2 * STEPS) - STEPS + 8) * PITCH + blockIdx.x * (64 - 2 * STEPS) + x - STEPS + 8;
#pragma unroll 4
    for (int r = threadIdx.y; r < HIGH; r += TY) tile[0][r][x] = t[at + r * PITCH];
    __syncthreads();
#pragma unroll
    for (int s = 1; s <= STEPS; ++s) {
        const int edge = SHRINK ? s : 1;
        const float(*from)[64] = tile[(s - 1) % 2];
        float(*to)[64] = tile[s % 2];
#pragma unroll 2
        for (int r = threadIdx.y + edge; r < HIGH - edge; r += TY)
            if (x >= edge && x < 64 - edge) {
                const float near = from[r - 1][x] + from[r + 1][x] + from[r][x - 1] + from[r][x + 1];
                const float far = from[r - 1][x - 1] + from[r - 1][x + 1] + from[r + 1][x - 1] + from[r + 1][x + 1];
                const float value = from[r][x] * 0.5f + near * 0.1f + far * 0.025f;
                if (s < STEPS) to[r][x] = value;
                else if (r >= STEPS && r < HIGH - STEPS && x >= STEPS && x < 64 - STEPS) out[at + r * PITCH] = value;
            }
        __syncthreads();
    }
}
