// Gradient of RMS norm by its bf16 input; a warp has a row, read once or twice.
#include <cuda_bf16.h>
constexpr int V = COLS / (32 * VEC), THREADS = 32 * WARPS, U = KEPT ? V : 2;
struct alignas(VEC * 2) Pack { __nv_bfloat162 h[VEC / 2]; };

extern "C" __global__ void __launch_bounds__(THREADS)
rmsnorm_bwd_bf16_warp_rows(const Pack* __restrict__ dy, const Pack* __restrict__ x, const Pack* __restrict__ weight,
                           const float* __restrict__ rstd, Pack* __restrict__ dx)
{
    const int lane = threadIdx.x % 32, row = blockIdx.x * WARPS + threadIdx.x / 32;
    const size_t first = (size_t)row * (COLS / VEC) + lane;
    Pack a[KEPT ? V : 1], b[KEPT ? V : 1];
    float sum = 0.0f;
#pragma unroll U
    for (int i = 0; i < V; ++i) {
        const Pack p = x[first + i * 32], q = dy[first + i * 32], w = weight[i * 32 + lane];
        if (KEPT) {
            a[KEPT ? i : 0] = p;
            b[KEPT ? i : 0] = q;
        }
#pragma unroll
        for (int j = 0; j < VEC / 2; ++j) {
            const float2 f = __bfloat1622float2(p.h[j]), g = __bfloat1622float2(q.h[j]), h = __bfloat1622float2(w.h[j]);
            sum += f.x * g.x * h.x + f.y * g.y * h.y;
        }
    }
#pragma unroll
    for (int d = 16; d; d >>= 1) sum += __shfl_xor_sync(~0u, sum, d);
    const float r = rstd[row], k = sum * r * r * r / COLS;
#pragma unroll U
    for (int i = 0; i < V; ++i) {
        const Pack p = KEPT ? a[KEPT ? i : 0] : x[first + i * 32], q = KEPT ? b[KEPT ? i : 0] : dy[first + i * 32], w = weight[i * 32 + lane];
        Pack out;
#pragma unroll
        for (int j = 0; j < VEC / 2; ++j) {
            const float2 f = __bfloat1622float2(p.h[j]), g = __bfloat1622float2(q.h[j]), h = __bfloat1622float2(w.h[j]);
            out.h[j] = __floats2bfloat162_rn(g.x * h.x * r - f.x * k, g.y * h.y * r - f.y * k);
        }
        dx[first + i * 32] = out;
    }
}
