// Gradient of RMS norm; a block goes through rows, and each thread adds its columns of the gradient of the weights.
#include <cuda_fp16.h>
constexpr int THREADS = 128, ROWS = 8192, PACKS = COLS / VEC, V = PACKS / THREADS, WARPS = THREADS / 32;
struct alignas(VEC * 2) Pack { __half2 h[VEC / 2]; };

extern "C" __global__ void __launch_bounds__(THREADS)
rmsnorm_bwd_f16_weight_parts(const Pack* __restrict__ x, const Pack* __restrict__ dy, const Pack* __restrict__ weight,
                             const float* __restrict__ scale, Pack* __restrict__ dx, float* __restrict__ parts)
{
    __shared__ float part[2][WARPS];
    const int t = threadIdx.x;
    float dw[V][VEC] = {};
    Pack w[V], px[V], pg[V];
#pragma unroll
    for (int i = 0; i < V; ++i) w[i] = weight[t + i * THREADS];
    int row = blockIdx.x, flip = 0;
    if (AHEAD) {
#pragma unroll
        for (int i = 0; i < V; ++i) {
            px[i] = x[(size_t)row * PACKS + t + i * THREADS];
            pg[i] = dy[(size_t)row * PACKS + t + i * THREADS];
        }
    }
#pragma unroll 1
    for (; row < ROWS; row += BLOCKS, flip ^= 1) {
        Pack a[V], g[V];
#pragma unroll
        for (int i = 0; i < V; ++i) {
            a[i] = AHEAD ? px[i] : x[(size_t)row * PACKS + t + i * THREADS];
            g[i] = AHEAD ? pg[i] : dy[(size_t)row * PACKS + t + i * THREADS];
        }
        if (AHEAD && row + BLOCKS < ROWS) {
#pragma unroll
            for (int i = 0; i < V; ++i) {
                px[i] = x[(size_t)(row + BLOCKS) * PACKS + t + i * THREADS];
                pg[i] = dy[(size_t)(row + BLOCKS) * PACKS + t + i * THREADS];
            }
        }
        const float s = scale[row];
        float sum = 0.0f;
#pragma unroll
        for (int i = 0; i < V; ++i)
#pragma unroll
            for (int j = 0; j < VEC / 2; ++j) {
                const float2 f = __half22float2(a[i].h[j]), d = __half22float2(g[i].h[j]), m = __half22float2(w[i].h[j]);
                dw[i][2 * j] += d.x * f.x * s;
                dw[i][2 * j + 1] += d.y * f.y * s;
                sum += d.x * m.x * f.x + d.y * m.y * f.y;
            }
#pragma unroll
        for (int d = 16; d; d >>= 1) sum += __shfl_xor_sync(~0u, sum, d);
        if (t % 32 == 0) part[flip][t / 32] = sum;
        __syncthreads();
        sum = 0.0f;
#pragma unroll
        for (int k = 0; k < WARPS; ++k) sum += part[flip][k];
        const float back = sum * s * s * (1.0f / COLS);
#pragma unroll
        for (int i = 0; i < V; ++i) {
            Pack o;
#pragma unroll
            for (int j = 0; j < VEC / 2; ++j) {
                const float2 f = __half22float2(a[i].h[j]), d = __half22float2(g[i].h[j]), m = __half22float2(w[i].h[j]);
                o.h[j] = __floats2half2_rn(s * (d.x * m.x - f.x * back), s * (d.y * m.y - f.y * back));
            }
            dx[(size_t)row * PACKS + t + i * THREADS] = o;
        }
    }
#pragma unroll
    for (int i = 0; i < V; ++i)
#pragma unroll
        for (int j = 0; j < VEC; ++j) parts[(size_t)blockIdx.x * COLS + (t + i * THREADS) * VEC + j] = dw[i][j];
}
