// RMS norm of FP16 rows; a block has ROWS rows at once, whose sums go through shared memory together.
#include <cuda_fp16.h>
constexpr int PACKS = COLS / VEC, V = PACKS / THREADS, WARPS = THREADS / 32;
struct alignas(VEC * 2) Pack { __half2 h[VEC / 2]; };

extern "C" __global__ void __launch_bounds__(THREADS)
rmsnorm_f16_two_rows(const Pack* __restrict__ x, const Pack* __restrict__ weight, Pack* __restrict__ out)
{
    __shared__ float part[ROWS][WARPS];
    const size_t first = (size_t)blockIdx.x * ROWS * PACKS + threadIdx.x;
    Pack p[ROWS][V];
    float sum[ROWS] = {};
#pragma unroll
    for (int r = 0; r < ROWS; ++r)
#pragma unroll
        for (int i = 0; i < V; ++i) p[r][i] = x[first + r * PACKS + i * THREADS];
#pragma unroll
    for (int r = 0; r < ROWS; ++r) {
#pragma unroll
        for (int i = 0; i < V; ++i)
#pragma unroll
            for (int j = 0; j < VEC / 2; ++j) {
                const float2 f = __half22float2(p[r][i].h[j]);
                sum[r] += f.x * f.x + f.y * f.y;
            }
#pragma unroll
        for (int d = 16; d; d >>= 1) sum[r] += __shfl_xor_sync(~0u, sum[r], d);
        if (threadIdx.x % 32 == 0) part[r][threadIdx.x / 32] = sum[r];
    }
    __syncthreads();
#pragma unroll
    for (int r = 0; r < ROWS; ++r) {
        float all = 0.0f;
#pragma unroll
        for (int w = 0; w < WARPS; ++w) all += part[r][w];
        sum[r] = rsqrtf(all / COLS + 1e-5f);
    }
#pragma unroll
    for (int i = 0; i < V; ++i) {
        const Pack w = weight[threadIdx.x + i * THREADS];
#pragma unroll
        for (int r = 0; r < ROWS; ++r) {
            Pack o;
#pragma unroll
            for (int j = 0; j < VEC / 2; ++j) {
                const float2 f = __half22float2(p[r][i].h[j]), g = __half22float2(w.h[j]);
                o.h[j] = __floats2half2_rn(f.x * sum[r] * g.x, f.y * sum[r] * g.y);
            }
            out[first + r * PACKS + i * THREADS] = o;
        }
    }
}
