// Layer norm of bf16 rows of 768 numbers or 1,280; a warp loads ROWS rows before it works on the first.
#include <cuda_bf16.h>
constexpr int THREADS = WARPS * 32, V = COLS / 256;
struct alignas(16) Pack { __nv_bfloat162 h[4]; };

extern "C" __global__ void __launch_bounds__(THREADS)
layernorm_bf16_rows_in_flight(const Pack* __restrict__ x, const Pack* __restrict__ gamma, const Pack* __restrict__ beta, Pack* __restrict__ y)
{
    __shared__ Pack weights[STAGED ? COLS / 8 : 1], biases[STAGED ? COLS / 8 : 1];
    if (STAGED) {
        for (int i = threadIdx.x; i < COLS / 8; i += THREADS) {
            weights[i] = gamma[i];
            biases[i] = beta[i];
        }
        __syncthreads();
    }
    const int lane = threadIdx.x % 32;
    const size_t row = ((size_t)blockIdx.x * WARPS + threadIdx.x / 32) * ROWS;
    Pack p[ROWS][V];
#pragma unroll
    for (int r = 0; r < ROWS; ++r)
#pragma unroll
        for (int i = 0; i < V; ++i) p[r][i] = x[(row + r) * (COLS / 8) + i * 32 + lane];
    float sum[ROWS] = {}, square[ROWS] = {};
#pragma unroll
    for (int r = 0; r < ROWS; ++r)
#pragma unroll
        for (int i = 0; i < V; ++i)
#pragma unroll
            for (int j = 0; j < 4; ++j) {
                const float2 f = __bfloat1622float2(p[r][i].h[j]);
                sum[r] += f.x + f.y;
                square[r] += f.x * f.x + f.y * f.y;
            }
#pragma unroll
    for (int d = 16; d; d >>= 1)
#pragma unroll
        for (int r = 0; r < ROWS; ++r) {
            sum[r] += __shfl_xor_sync(~0u, sum[r], d);
            square[r] += __shfl_xor_sync(~0u, square[r], d);
        }
#pragma unroll
    for (int r = 0; r < ROWS; ++r) {
        const float mean = sum[r] / COLS, scale = rsqrtf(square[r] / COLS - mean * mean + 1.0e-5f);
#pragma unroll
        for (int i = 0; i < V; ++i) {
            const Pack w = STAGED ? weights[STAGED ? i * 32 + lane : 0] : gamma[i * 32 + lane];
            const Pack b = STAGED ? biases[STAGED ? i * 32 + lane : 0] : beta[i * 32 + lane];
#pragma unroll
            for (int j = 0; j < 4; ++j) {
                const float2 f = __bfloat1622float2(p[r][i].h[j]), g = __bfloat1622float2(w.h[j]), c = __bfloat1622float2(b.h[j]);
                p[r][i].h[j] = __floats2bfloat162_rn((f.x - mean) * scale * g.x + c.x, (f.y - mean) * scale * g.y + c.y);
            }
            y[(row + r) * (COLS / 8) + i * 32 + lane] = p[r][i];
        }
    }
}
