// Y = W X for a few vectors; a warp has ROWS rows and all vectors, in FP32.
#include <cuda_fp16.h>
constexpr int N = 8192, PACKS = 4096 / VEC;
struct alignas(VEC * 2) Pack { __half2 h[VEC / 2]; };

extern "C" __global__ void __launch_bounds__(32 * WARPS)
gemv_f16_batch_rows(const Pack* __restrict__ w, const Pack* __restrict__ x, float* __restrict__ y)
{
    const int lane = threadIdx.x, row0 = (blockIdx.x * WARPS + threadIdx.y) * ROWS;
    float acc[ROWS][BATCH] = {};
#pragma unroll 2
    for (int i = lane; i < PACKS; i += 32) {
        Pack p[ROWS];
#pragma unroll
        for (int r = 0; r < ROWS; ++r) p[r] = w[(size_t)(row0 + r) * PACKS + i];
#pragma unroll
        for (int b = 0; b < BATCH; ++b) {
            const Pack q = x[b * PACKS + i];
#pragma unroll
            for (int j = 0; j < VEC / 2; ++j) {
                const float2 v = __half22float2(q.h[j]);
#pragma unroll
                for (int r = 0; r < ROWS; ++r) {
                    const float2 u = __half22float2(p[r].h[j]);
                    acc[r][b] += u.x * v.x + u.y * v.y;
                }
            }
        }
    }
#pragma unroll
    for (int r = 0; r < ROWS; ++r)
#pragma unroll
        for (int b = 0; b < BATCH; ++b) {
#pragma unroll
            for (int d = 16; d; d >>= 1) acc[r][b] += __shfl_xor_sync(~0u, acc[r][b], d);
            if (lane == b) y[b * N + row0 + r] = acc[r][b];
        }
}
