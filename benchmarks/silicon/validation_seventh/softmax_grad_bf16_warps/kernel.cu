#include <cuda_bf16.h>
// dx = y (dy - sum of y dy); a warp takes ROWS_WARP rows side by side.
struct alignas(VEC * 2) Pack { __nv_bfloat162 v[VEC / 2]; };
constexpr int PACKS = COLS / VEC, PER = PACKS / 32;

extern "C" __global__ void __launch_bounds__(128)
softmax_grad_bf16_warps(const Pack* __restrict__ y, const Pack* __restrict__ dy, Pack* __restrict__ dx)
{
    const int lane = threadIdx.x % 32, first = (blockIdx.x * 4 + threadIdx.x / 32) * ROWS_WARP;
    Pack a[ROWS_WARP][PER], b[ROWS_WARP][PER];
    float sum[ROWS_WARP];
#pragma unroll
    for (int r = 0; r < ROWS_WARP; ++r)
#pragma unroll
        for (int k = 0; k < PER; ++k) {
            const size_t at = (size_t)(first + r) * PACKS + k * 32 + lane;
            a[r][k] = y[at];
            b[r][k] = dy[at];
        }
#pragma unroll
    for (int r = 0; r < ROWS_WARP; ++r) {
        sum[r] = 0.0f;
#pragma unroll
        for (int k = 0; k < PER; ++k)
#pragma unroll
            for (int j = 0; j < VEC / 2; ++j) {
                const float2 p = __bfloat1622float2(a[r][k].v[j]), q = __bfloat1622float2(b[r][k].v[j]);
                sum[r] += p.x * q.x + p.y * q.y;
            }
    }
#pragma unroll
    for (int d = 16; d; d >>= 1)
#pragma unroll
        for (int r = 0; r < ROWS_WARP; ++r) sum[r] += __shfl_xor_sync(~0u, sum[r], d);
#pragma unroll
    for (int r = 0; r < ROWS_WARP; ++r)
#pragma unroll
        for (int k = 0; k < PER; ++k) {
            Pack out;
#pragma unroll
            for (int j = 0; j < VEC / 2; ++j) {
                const float2 p = __bfloat1622float2(a[r][k].v[j]), q = __bfloat1622float2(b[r][k].v[j]);
                out.v[j] = __floats2bfloat162_rn(p.x * (q.x - sum[r]), p.y * (q.y - sum[r]));
            }
            dx[(size_t)(first + r) * PACKS + k * 32 + lane] = out;
        }
}
