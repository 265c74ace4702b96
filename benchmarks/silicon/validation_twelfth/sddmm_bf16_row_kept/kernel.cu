// Dot products of rows of two bf16 matrices at a sparse mask's places; a row of the first stays in registers for its 32 places.
#include <cuda_bf16.h>
constexpr int DEGREE = 32, V = DIM / (LANES * 8);
struct alignas(16) Pack { __nv_bfloat162 h[4]; };

extern "C" __global__ void __launch_bounds__(THREADS)
sddmm_bf16_row_kept(const Pack* __restrict__ a, const Pack* __restrict__ b, const int* __restrict__ column, const float* __restrict__ mask, float* __restrict__ out)
{
    const int id = blockIdx.x * THREADS + threadIdx.x, row = id / 32, lane = id % LANES, group = id % 32 / LANES;
    Pack p[V];
#pragma unroll
    for (int v = 0; v < V; ++v) p[v] = a[(size_t)row * (DIM / 8) + v * LANES + lane];
#pragma unroll 1
    for (int n = group * AHEAD; n < DEGREE; n += 32 / LANES * AHEAD) {
        Pack q[AHEAD][V];
#pragma unroll
        for (int i = 0; i < AHEAD; ++i) {
            const size_t from = (size_t)column[row * DEGREE + n + i] * (DIM / 8) + lane;
#pragma unroll
            for (int v = 0; v < V; ++v) q[i][v] = b[from + v * LANES];
        }
#pragma unroll
        for (int i = 0; i < AHEAD; ++i) {
            float sum = 0.0f;
#pragma unroll
            for (int v = 0; v < V; ++v)
#pragma unroll
                for (int j = 0; j < 4; ++j) {
                    const float2 f = __bfloat1622float2(p[v].h[j]), g = __bfloat1622float2(q[i][v].h[j]);
                    sum += f.x * g.x + f.y * g.y;
                }
#pragma unroll
            for (int d = LANES / 2; d; d >>= 1) sum += __shfl_xor_sync(~0u, sum, d);
            if (lane == 0) out[row * DEGREE + n + i] = sum * mask[row * DEGREE + n + i];
        }
    }
}
