// Gradient of layer norm by its input; means and reciprocal deviations are known; with STASH rows and weights stay in registers.
#include <cuda_bf16.h>
constexpr int PARTS = COLS / THREADS / 8, SHORT = PARTS < 8 ? PARTS / 2 : 4, TURNS = STASH ? PARTS : SHORT, WARPS = THREADS / 32;
struct alignas(16) Pack { __nv_bfloat162 v[4]; };

extern "C" __global__ void __launch_bounds__(THREADS)
layernorm_back_bf16x8(const Pack* __restrict__ x, const Pack* __restrict__ dy, const Pack* __restrict__ gamma,
                      const float2* __restrict__ stats, Pack* __restrict__ dx)
{
    __shared__ float2 part[2][WARPS];
    Pack w[STASH ? PARTS : 1];
    if (STASH)
#pragma unroll
        for (int i = 0; i < PARTS; ++i) w[i] = gamma[i * THREADS + threadIdx.x];
#pragma unroll 1
    for (int k = 0; k < ROWS; ++k) {
        const int row = blockIdx.x * ROWS + k;
        const size_t at = (size_t)row * (COLS / 8) + threadIdx.x;
        const float2 st = stats[row];
        Pack a[STASH ? PARTS : 1], b[STASH ? PARTS : 1];
        float s = 0.0f, q = 0.0f;
#pragma unroll TURNS
        for (int i = 0; i < PARTS; ++i) {
            const Pack p = x[at + i * THREADS], g = dy[at + i * THREADS], h = STASH ? w[i] : gamma[i * THREADS + threadIdx.x];
            if (STASH) {
                a[i] = p;
                b[i] = g;
            }
#pragma unroll
            for (int j = 0; j < 4; ++j) {
                const float2 u = __bfloat1622float2(p.v[j]), t = __bfloat1622float2(g.v[j]), c = __bfloat1622float2(h.v[j]);
                const float gx = t.x * c.x, gy = t.y * c.y;
                s += gx + gy;
                q += gx * (u.x - st.x) * st.y + gy * (u.y - st.x) * st.y;
            }
        }
#pragma unroll
        for (int d = 16; d; d >>= 1) {
            s += __shfl_xor_sync(~0u, s, d);
            q += __shfl_xor_sync(~0u, q, d);
        }
        if (threadIdx.x % 32 == 0) part[k % 2][threadIdx.x / 32] = make_float2(s, q);
        __syncthreads();
        s = q = 0.0f;
#pragma unroll
        for (int i = 0; i < WARPS; ++i) {
            s += part[k % 2][i].x * (1.0f / COLS);
            q += part[k % 2][i].y * (1.0f / COLS);
        }
#pragma unroll TURNS
        for (int i = 0; i < PARTS; ++i) {
            const Pack p = STASH ? a[i] : x[at + i * THREADS], g = STASH ? b[i] : dy[at + i * THREADS];
            const Pack h = STASH ? w[i] : gamma[i * THREADS + threadIdx.x];
            Pack r;
#pragma unroll
            for (int j = 0; j < 4; ++j) {
                const float2 u = __bfloat1622float2(p.v[j]), t = __bfloat1622float2(g.v[j]), c = __bfloat1622float2(h.v[j]);
                r.v[j] = __floats2bfloat162_rn(st.y * (t.x * c.x - s - (u.x - st.x) * st.y * q),
                                               st.y * (t.y * c.y - s - (u.y - st.x) * st.y * q));
            }
            dx[at + i * THREADS] = r;
        }
    }
}
