// 512 x 384 by 384 x 512.
constexpr int N = 512, K = 384;

struct alignas(COLS_LANE * 4) Pack { float v[COLS_LANE]; };

extern "C" __global__ void __launch_bounds__(32 * WARPS)
sgemm_shuffle_panels(const float* __restrict__ a, const Pack* __restrict__ b, Pack* __restrict__ c)
{
    const int lane = threadIdx.x % 32, row = (blockIdx.y * WARPS + threadIdx.x / 32) * ROWS;
    const int col = blockIdx.x * 32 + lane;
    float acc[ROWS][COLS_LANE] = {};
    for (int k0 = 0; k0 < K; k0 += 32) {
        float x[ROWS];
#pragma unroll
        for (int r = 0; r < ROWS; ++r) x[r] = a[(row + r) * K + k0 + lane];
#pragma unroll 16
        for (int k = 0; k < 32; ++k) {
            const Pack y = b[(k0 + k) * (N / COLS_LANE) + col];
#pragma unroll
            for (int r = 0; r < ROWS; ++r) {
                const float s = __shfl_sync(0xffffffff, x[r], k);
#pragma unroll
                for (int j = 0; j < COLS_LANE; ++j) acc[r][j] += s * y.v[j];
            }
        }
    }
#pragma unroll
    for (int r = 0; r < ROWS; ++r) {
        Pack out;
#pragma unroll
        for (int j = 0; j < COLS_LANE; ++j) out.v[j] = acc[r][j];
        c[(row + r) * (N / COLS_LANE) + col] = out;
    }
}
