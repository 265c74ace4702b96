// Softmax of short bf16 rows: a warp takes ROWS_WARP rows at once, keeps them in registers and reads PACK numbers an
// access. The grid is fixed and walks over the rows.
#include <cuda_bf16.h>

constexpr int PER_LANE = COLS / 32, PACKS = PER_LANE / PACK;

struct alignas(2 * PACK) Pack { __nv_bfloat16 v[PACK]; };

extern "C" __global__ void softmax_pack_bf16(const Pack* __restrict__ x, Pack* __restrict__ y, int rows)
{
    const int lane = threadIdx.x;
    const int step = gridDim.x * blockDim.y * ROWS_WARP;
    for (int row = (blockIdx.x * blockDim.y + threadIdx.y) * ROWS_WARP; row < rows; row += step) {
        float buf[ROWS_WARP][PER_LANE], top[ROWS_WARP], total[ROWS_WARP];
#pragma unroll
        for (int r = 0; r < ROWS_WARP; ++r) {
            top[r] = -1e30f;
#pragma unroll
            for (int p = 0; p < PACKS; ++p) {
                const Pack pack = x[(size_t)(row + r) * (COLS / PACK) + p * 32 + lane];
#pragma unroll
                for (int i = 0; i < PACK; ++i) {
                    buf[r][p * PACK + i] = __bfloat162float(pack.v[i]);
                    top[r] = fmaxf(top[r], buf[r][p * PACK + i]);
                }
            }
        }
#pragma unroll
        for (int r = 0; r < ROWS_WARP; ++r)
            for (int m = 16; m > 0; m >>= 1) top[r] = fmaxf(top[r], __shfl_xor_sync(0xffffffff, top[r], m));
#pragma unroll
        for (int r = 0; r < ROWS_WARP; ++r) {
            total[r] = 0.0f;
#pragma unroll
            for (int i = 0; i < PER_LANE; ++i) {
                buf[r][i] = __expf(buf[r][i] - top[r]);
                total[r] += buf[r][i];
            }
        }
#pragma unroll
        for (int r = 0; r < ROWS_WARP; ++r)
            for (int m = 16; m > 0; m >>= 1) total[r] += __shfl_xor_sync(0xffffffff, total[r], m);
#pragma unroll
        for (int r = 0; r < ROWS_WARP; ++r) {
            const float scale = __fdividef(1.0f, total[r]);
#pragma unroll
            for (int p = 0; p < PACKS; ++p) {
                Pack pack;
#pragma unroll
                for (int i = 0; i < PACK; ++i) pack.v[i] = __float2bfloat16(buf[r][p * PACK + i] * scale);
                y[(size_t)(row + r) * (COLS / PACK) + p * 32 + lane] = pack;
            }
        }
    }
}
