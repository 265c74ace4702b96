// A warp goes down a strip and does STEPS steps at once: step t is at row y - t, its last three rows are in registers.
constexpr int W = 4096, PITCH = 4352, VALID = 32 * VEC - 2 * STEPS;

extern "C" __global__ void __launch_bounds__(32 * WARPS)
jacobi2d_warp_time_pipeline(const float* __restrict__ in, float* __restrict__ out)
{
    const int lane = threadIdx.x % 32, strip = blockIdx.x * WARPS + threadIdx.x / 32;
    if (strip * VALID >= W) return;
    const int x0 = strip * VALID + lane * VEC, y0 = blockIdx.y * RUN;
    float r[STEPS][3][VEC] = {};
#pragma unroll 1
    for (int y = 0; y < RUN + 2 * STEPS; ++y) {
        float now[VEC];
#pragma unroll
        for (int j = 0; j < VEC; ++j) now[j] = in[(size_t)(y0 + y) * PITCH + x0 + j];
#pragma unroll
        for (int t = 0; t < STEPS; ++t) {
            float next[VEC];
#pragma unroll
            for (int j = 0; j < VEC; ++j) {
                r[t][0][j] = r[t][1][j];
                r[t][1][j] = r[t][2][j];
                r[t][2][j] = now[j];
            }
            const float left = __shfl_up_sync(~0u, r[t][1][VEC - 1], 1), right = __shfl_down_sync(~0u, r[t][1][0], 1);
#pragma unroll
            for (int j = 0; j < VEC; ++j) {
                const float a = j ? r[t][1][j ? j - 1 : 0] : left, b = j < VEC - 1 ? r[t][1][j < VEC - 1 ? j + 1 : 0] : right;
                next[j] = 0.2f * (r[t][1][j] + a + b + r[t][0][j] + r[t][2][j]);
            }
#pragma unroll
            for (int j = 0; j < VEC; ++j) now[j] = next[j];
        }
        if (y >= 2 * STEPS)
#pragma unroll
            for (int j = 0; j < VEC; ++j) {
                const int i = lane * VEC + j;
                if (i >= STEPS && i < 32 * VEC - STEPS && x0 + j < W + STEPS) out[(size_t)(y0 + y - 2 * STEPS) * W + x0 + j - STEPS] = now[j];
            }
    }
}
