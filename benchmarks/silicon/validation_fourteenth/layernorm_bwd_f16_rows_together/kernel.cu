// dx = rstd (g dy - mean(g dy) - xhat mean(g dy xhat)); the sums of ROWS rows are exchanged together.
#include <cuda_fp16.h>
constexpr int PACKS = COLS / VEC, EACH = PACKS / 32;
struct alignas(VEC * 2) Pack { __half2 h[VEC / 2]; };

extern "C" __global__ void __launch_bounds__(WARPS * 32)
layernorm_bwd_f16_rows_together(const Pack* __restrict__ x, const Pack* __restrict__ dy, const Pack* __restrict__ gamma, const float* __restrict__ mean,
                                const float* __restrict__ rstd, Pack* __restrict__ dx)
{
    const int lane = threadIdx.x % 32, row = (blockIdx.x * WARPS + threadIdx.x / 32) * ROWS;
    Pack px[ROWS][EACH], pd[ROWS][EACH];
    float m[ROWS], s[ROWS], a[ROWS] = {}, b[ROWS] = {};
#pragma unroll
    for (int r = 0; r < ROWS; ++r) {
        m[r] = mean[row + r];
        s[r] = rstd[row + r];
#pragma unroll
        for (int i = 0; i < EACH; ++i) {
            px[r][i] = x[(size_t)(row + r) * PACKS + i * 32 + lane];
            pd[r][i] = dy[(size_t)(row + r) * PACKS + i * 32 + lane];
        }
    }
#pragma unroll
    for (int i = 0; i < EACH; ++i) {
        const Pack g = gamma[i * 32 + lane];
#pragma unroll
        for (int r = 0; r < ROWS; ++r)
#pragma unroll
            for (int j = 0; j < VEC / 2; ++j) {
                pd[r][i].h[j] = __hmul2(pd[r][i].h[j], g.h[j]);
                const float2 fx = __half22float2(px[r][i].h[j]), fd = __half22float2(pd[r][i].h[j]);
                a[r] += fd.x + fd.y;
                b[r] += (fd.x * (fx.x - m[r]) + fd.y * (fx.y - m[r])) * s[r];
            }
    }
#pragma unroll
    for (int d = 16; d; d >>= 1)
#pragma unroll
        for (int r = 0; r < ROWS; ++r) {
            a[r] += __shfl_xor_sync(~0u, a[r], d);
            b[r] += __shfl_xor_sync(~0u, b[r], d);
        }
#pragma unroll
    for (int r = 0; r < ROWS; ++r) {
        a[r] *= 1.0f / COLS;
        b[r] *= 1.0f / COLS;
#pragma unroll
        for (int i = 0; i < EACH; ++i) {
            Pack o;
#pragma unroll
            for (int j = 0; j < VEC / 2; ++j) {
                const float2 fx = __half22float2(px[r][i].h[j]), fd = __half22float2(pd[r][i].h[j]);
                o.h[j] = __floats2half2_rn(s[r] * (fd.x - a[r] - (fx.x - m[r]) * s[r] * b[r]), s[r] * (fd.y - a[r] - (fx.y - m[r]) * s[r] * b[r]));
            }
            dx[(size_t)(row + r) * PACKS + i * 32 + lane] = o;
        }
    }
}
