// Layer norm of FP16 rows; each access has a mean and a sum of squares of its own, which Chan's formula merges.
#include <cuda_fp16.h>
constexpr int THREADS = WARPS * 32, PACKS = COLS / VEC, V = PACKS / THREADS;
struct alignas(VEC * 2) Pack { __half2 h[VEC / 2]; };

__device__ __forceinline__ void merge(float& mean, float& m2, float& n, float mean_b, float m2_b, float n_b)
{
    const float all = n + n_b, delta = mean_b - mean, share = n_b / all;
    mean += delta * share;
    m2 += m2_b + delta * delta * n * share;
    n = all;
}

extern "C" __global__ void __launch_bounds__(THREADS)
layernorm_f16_chunk_moments(const Pack* __restrict__ x, const Pack* __restrict__ gamma, const Pack* __restrict__ beta, Pack* __restrict__ y)
{
    __shared__ float2 part[WARPS];
    const size_t first = (size_t)blockIdx.x * PACKS + threadIdx.x;
    Pack p[KEPT ? V : 1];
    float mean = 0.0f, m2 = 0.0f, n = 0.0f;
    if (KEPT) {
#pragma unroll
        for (int i = 0; i < V; ++i) p[KEPT ? i : 0] = x[first + i * THREADS];
    }
#pragma unroll
    for (int i = 0; i < V; ++i) {
        const Pack q = KEPT ? p[KEPT ? i : 0] : x[first + i * THREADS];
        float sum = 0.0f, squares = 0.0f;
#pragma unroll
        for (int j = 0; j < VEC / 2; ++j) {
            const float2 f = __half22float2(q.h[j]);
            sum += f.x + f.y;
        }
        sum *= 1.0f / VEC;
#pragma unroll
        for (int j = 0; j < VEC / 2; ++j) {
            const float2 f = __half22float2(q.h[j]);
            squares += (f.x - sum) * (f.x - sum) + (f.y - sum) * (f.y - sum);
        }
        merge(mean, m2, n, sum, squares, VEC);
    }
#pragma unroll
    for (int d = 1; d < 32; d <<= 1) {
        const float a = __shfl_xor_sync(~0u, mean, d), b = __shfl_xor_sync(~0u, m2, d);
        merge(mean, m2, n, a, b, n);
    }
    if (WARPS > 1) {
        if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = make_float2(mean, m2);
        __syncthreads();
        mean = part[0].x;
        m2 = part[0].y;
        n = COLS / WARPS;
#pragma unroll
        for (int w = 1; w < WARPS; ++w) merge(mean, m2, n, part[w].x, part[w].y, COLS / WARPS);
    }
    const float scale = rsqrtf(m2 / COLS + 1e-5f);
#pragma unroll
    for (int i = 0; i < V; ++i) {
        const Pack q = KEPT ? p[KEPT ? i : 0] : x[first + i * THREADS], g = gamma[threadIdx.x + i * THREADS], b = beta[threadIdx.x + i * THREADS];
        Pack o;
#pragma unroll
        for (int j = 0; j < VEC / 2; ++j) {
            const float2 f = __half22float2(q.h[j]), u = __half22float2(g.h[j]), v = __half22float2(b.h[j]);
            o.h[j] = __floats2half2_rn((f.x - mean) * scale * u.x + v.x, (f.y - mean) * scale * u.y + v.y);
        }
        y[first + i * THREADS] = o;
    }
}
