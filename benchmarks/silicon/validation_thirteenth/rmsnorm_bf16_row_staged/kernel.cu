// RMS norm of bf16 rows with 1 + weight, a block a row; the row waits in shared memory or is read again.
#include <cuda_bf16.h>
constexpr int PACKS = COLS / VEC, U = 2, WARPS = THREADS / 32;
struct alignas(VEC * 2) Pack { __nv_bfloat162 h[VEC / 2]; };

extern "C" __global__ void __launch_bounds__(THREADS)
rmsnorm_bf16_row_staged(const Pack* __restrict__ x, const Pack* __restrict__ weight, Pack* __restrict__ out)
{
    __shared__ Pack kept[STAGED ? PACKS : 1];
    __shared__ float part[WARPS];
    const Pack* row = x + (size_t)blockIdx.x * PACKS;
    Pack* to = out + (size_t)blockIdx.x * PACKS;
    float sum = 0.0f;
#pragma unroll U
    for (int i = threadIdx.x; i < PACKS; i += THREADS) {
        const Pack p = row[i];
        if (STAGED) kept[STAGED ? i : 0] = p;
#pragma unroll
        for (int j = 0; j < VEC / 2; ++j) {
            const float2 f = __bfloat1622float2(p.h[j]);
            sum = fmaf(f.x, f.x, fmaf(f.y, f.y, sum));
        }
    }
#pragma unroll
    for (int d = 16; d; d >>= 1) sum += __shfl_xor_sync(~0u, sum, d);
    if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = sum;
    __syncthreads();
    sum = threadIdx.x % 32 < WARPS ? part[threadIdx.x % 32] : 0.0f;
#pragma unroll
    for (int d = 16; d; d >>= 1) sum += __shfl_xor_sync(~0u, sum, d);
    const float scale = rsqrtf(sum * (1.0f / COLS) + 1e-6f);
#pragma unroll U
    for (int i = threadIdx.x; i < PACKS; i += THREADS) {
        const Pack p = STAGED ? kept[STAGED ? i : 0] : row[i], w = weight[i];
        Pack o;
#pragma unroll
        for (int j = 0; j < VEC / 2; ++j) {
            const float2 f = __bfloat1622float2(p.h[j]), g = __bfloat1622float2(w.h[j]);
            o.h[j] = __floats2bfloat162_rn(f.x * scale * (1.0f + g.x), f.y * scale * (1.0f + g.y));
        }
        to[i] = o;
    }
}
