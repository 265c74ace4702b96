// Gradient of layer norm by its bf16 input; four sums of a row give mean, deviation and both corrections at once.
#include <cuda_bf16.h>
constexpr int THREADS = WARPS * 32, PACKS = COLS / VEC, V = PACKS / THREADS;
struct alignas(VEC * 2) Pack { __nv_bfloat162 h[VEC / 2]; };

extern "C" __global__ void __launch_bounds__(THREADS)
layernorm_bwd_bf16_own_stats(const Pack* __restrict__ x, const Pack* __restrict__ dy, const Pack* __restrict__ gamma, Pack* __restrict__ dx)
{
    __shared__ float4 part[2][WARPS];
#pragma unroll 1
    for (int turn = 0; turn < TURNS; ++turn) {
        const size_t first = ((size_t)blockIdx.x * TURNS + turn) * PACKS + threadIdx.x;
        Pack a[V], g[V];
        float4 s = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
#pragma unroll
        for (int i = 0; i < V; ++i) {
            a[i] = x[first + i * THREADS];
            g[i] = dy[first + i * THREADS];
        }
#pragma unroll
        for (int i = 0; i < V; ++i) {
            const Pack w = gamma[threadIdx.x + i * THREADS];
#pragma unroll
            for (int j = 0; j < VEC / 2; ++j) {
                g[i].h[j] = __hmul2(g[i].h[j], w.h[j]);
                const float2 f = __bfloat1622float2(a[i].h[j]), d = __bfloat1622float2(g[i].h[j]);
                s.x += f.x + f.y;
                s.y += f.x * f.x + f.y * f.y;
                s.z += d.x + d.y;
                s.w += d.x * f.x + d.y * f.y;
            }
        }
#pragma unroll
        for (int d = 16; d; d >>= 1) {
            s.x += __shfl_xor_sync(~0u, s.x, d);
            s.y += __shfl_xor_sync(~0u, s.y, d);
            s.z += __shfl_xor_sync(~0u, s.z, d);
            s.w += __shfl_xor_sync(~0u, s.w, d);
        }
        if (WARPS > 1) {
            if (threadIdx.x % 32 == 0) part[turn % 2][threadIdx.x / 32] = s;
            __syncthreads();
            s = part[turn % 2][0];
#pragma unroll
            for (int w = 1; w < WARPS; ++w) {
                const float4 o = part[turn % 2][w];
                s.x += o.x;
                s.y += o.y;
                s.z += o.z;
                s.w += o.w;
            }
        }
        const float mean = s.x / COLS, rstd = rsqrtf(fmaxf(s.y / COLS - mean * mean, 0.0f) + 1e-5f);
        const float c1 = s.z / COLS, c2 = (s.w - mean * s.z) * rstd * rstd / COLS;
#pragma unroll
        for (int i = 0; i < V; ++i) {
#pragma unroll
            for (int j = 0; j < VEC / 2; ++j) {
                const float2 f = __bfloat1622float2(a[i].h[j]), d = __bfloat1622float2(g[i].h[j]);
                g[i].h[j] = __floats2bfloat162_rn(rstd * (d.x - c1 - (f.x - mean) * c2), rstd * (d.y - c1 - (f.y - mean) * c2));
            }
            dx[first + i * THREADS] = g[i];
        }
    }
}
