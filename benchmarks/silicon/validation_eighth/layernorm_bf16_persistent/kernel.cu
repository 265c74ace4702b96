// Layer norm of bf16 rows; a block takes every gridDim-th row and holds weights and biases in registers.
#include <cuda_bf16.h>
constexpr int COUNT = 16777216 / COLS, PER = COLS / THREADS, VEC = PER < 8 ? PER : 8, PARTS = PER / VEC, WARPS = THREADS / 32;
struct alignas(VEC * 2) Pack { __nv_bfloat162 v[VEC / 2]; };

extern "C" __global__ void __launch_bounds__(THREADS)
layernorm_bf16_persistent(const Pack* __restrict__ x, const float* __restrict__ gamma, const float* __restrict__ beta,
                          Pack* __restrict__ y)
{
    __shared__ float2 part[2][WARPS];
    float g[PER], b[PER];
    Pack now[PARTS];
#pragma unroll
    for (int i = 0; i < PER; ++i) {
        const int c = (i / VEC * THREADS + threadIdx.x) * VEC + i % VEC;
        g[i] = gamma[c];
        b[i] = beta[c];
    }
    if (AHEAD && blockIdx.x < COUNT)
#pragma unroll
        for (int i = 0; i < PARTS; ++i) now[i] = x[(size_t)blockIdx.x * (COLS / VEC) + i * THREADS + threadIdx.x];
    int turn = 0;
#pragma unroll 1
    for (int row = blockIdx.x; row < COUNT; row += gridDim.x, turn ^= 1) {
        float f[PER], s = 0.0f, q = 0.0f;
        if (!AHEAD)
#pragma unroll
            for (int i = 0; i < PARTS; ++i) now[i] = x[(size_t)row * (COLS / VEC) + i * THREADS + threadIdx.x];
#pragma unroll
        for (int i = 0; i < PER / 2; ++i) {
            const float2 t = __bfloat1622float2(now[2 * i / VEC].v[i % (VEC / 2)]);
            f[2 * i] = t.x;
            f[2 * i + 1] = t.y;
            s += t.x + t.y;
            q += t.x * t.x + t.y * t.y;
        }
        if (AHEAD && row + gridDim.x < COUNT)
#pragma unroll
            for (int i = 0; i < PARTS; ++i)
                now[i] = x[(size_t)(row + gridDim.x) * (COLS / VEC) + i * THREADS + threadIdx.x];
#pragma unroll
        for (int d = 16; d; d >>= 1) {
            s += __shfl_xor_sync(~0u, s, d);
            q += __shfl_xor_sync(~0u, q, d);
        }
        if (threadIdx.x % 32 == 0) part[turn][threadIdx.x / 32] = make_float2(s, q);
        __syncthreads();
        s = q = 0.0f;
#pragma unroll
        for (int w = 0; w < WARPS; ++w) {
            s += part[turn][w].x;
            q += part[turn][w].y;
        }
        const float mean = s / COLS, r = rsqrtf(q / COLS - mean * mean + 1.0e-5f);
#pragma unroll
        for (int i = 0; i < PARTS; ++i) {
            Pack p;
#pragma unroll
            for (int j = 0; j < VEC / 2; ++j) {
                const int k = i * VEC + 2 * j;
                p.v[j] = __floats2bfloat162_rn((f[k] - mean) * r * g[k] + b[k], (f[k + 1] - mean) * r * g[k + 1] + b[k + 1]);
            }
            y[(size_t)row * (COLS / VEC) + i * THREADS + threadIdx.x] = p;
        }
    }
}
