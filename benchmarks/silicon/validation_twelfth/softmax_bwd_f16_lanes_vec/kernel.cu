// Gradient of softmax over FP16 rows, y * (dy - sum(y * dy)); LANES lanes of a warp have a row.
#include <cuda_fp16.h>
constexpr int V = COLS / (LANES * VEC);
struct alignas(VEC * 2) Pack { __half2 h[VEC / 2]; };

extern "C" __global__ void __launch_bounds__(THREADS)
softmax_bwd_f16_lanes_vec(const Pack* __restrict__ y, const Pack* __restrict__ dy, Pack* __restrict__ dx)
{
    const int id = blockIdx.x * THREADS + threadIdx.x;
    const size_t first = (size_t)(id / LANES) * (COLS / VEC) + id % LANES;
    Pack p[V], g[V];
#pragma unroll
    for (int i = 0; i < V; ++i) {
        p[i] = y[first + i * LANES];
        g[i] = dy[first + i * LANES];
    }
    float sum = 0.0f;
#pragma unroll
    for (int i = 0; i < V; ++i)
#pragma unroll
        for (int j = 0; j < VEC / 2; ++j) {
            const float2 a = __half22float2(p[i].h[j]), b = __half22float2(g[i].h[j]);
            sum += a.x * b.x + a.y * b.y;
        }
#pragma unroll
    for (int d = LANES / 2; d; d >>= 1) sum += __shfl_xor_sync(~0u, sum, d);
#pragma unroll
    for (int i = 0; i < V; ++i) {
#pragma unroll
        for (int j = 0; j < VEC / 2; ++j) {
            const float2 a = __half22float2(p[i].h[j]), b = __half22float2(g[i].h[j]);
            g[i].h[j] = __floats2half2_rn(a.x * (b.x - sum), a.y * (b.y - sum));
        }
        dx[first + i * LANES] = g[i];
    }
}
