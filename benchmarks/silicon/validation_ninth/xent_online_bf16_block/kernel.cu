// Cross entropy, a block a row: with ONLINE the sum is rescaled whenever the maximum grows, otherwise the row is read twice.
#include <cuda_bf16.h>
constexpr int PARTS = VOCAB / THREADS / VEC, WARPS = THREADS / 32;
struct alignas(VEC * 2) Pack { __nv_bfloat162 v[VEC / 2]; };

__device__ __forceinline__ void unite(float& top, float& sum, float t, float s)
{
    const float m = fmaxf(top, t);
    sum = sum * __expf(top - m) + s * __expf(t - m);
    top = m;
}

extern "C" __global__ void __launch_bounds__(THREADS)
xent_online_bf16_block(const Pack* __restrict__ x, const int* __restrict__ label, float* __restrict__ loss)
{
    __shared__ float tops[WARPS], sums[WARPS];
    const Pack* row = x + (size_t)blockIdx.x * (VOCAB / VEC);
    float top = -1.0e30f, sum = 0.0f;
#pragma unroll 4
    for (int i = 0; i < PARTS; ++i) {
        const Pack p = row[i * THREADS + threadIdx.x];
        float2 t[VEC / 2];
        float m = -1.0e30f;
#pragma unroll
        for (int j = 0; j < VEC / 2; ++j) {
            t[j] = __bfloat1622float2(p.v[j]);
            m = fmaxf(m, fmaxf(t[j].x, t[j].y));
        }
        if (ONLINE) {
            const float now = fmaxf(top, m);
            float s = 0.0f;
#pragma unroll
            for (int j = 0; j < VEC / 2; ++j) s += __expf(t[j].x - now) + __expf(t[j].y - now);
            sum = sum * __expf(top - now) + s;
            top = now;
        } else {
            top = fmaxf(top, m);
        }
    }
    if (!ONLINE) {
#pragma unroll
        for (int d = 16; d; d >>= 1) top = fmaxf(top, __shfl_xor_sync(~0u, top, d));
        if (threadIdx.x % 32 == 0) tops[threadIdx.x / 32] = top;
        __syncthreads();
#pragma unroll
        for (int w = 0; w < WARPS; ++w) top = fmaxf(top, tops[w]);
        __syncthreads();
#pragma unroll 4
        for (int i = 0; i < PARTS; ++i) {
            const Pack p = row[i * THREADS + threadIdx.x];
#pragma unroll
            for (int j = 0; j < VEC / 2; ++j) {
                const float2 t = __bfloat1622float2(p.v[j]);
                sum += __expf(t.x - top) + __expf(t.y - top);
            }
        }
    }
#pragma unroll
    for (int d = 16; d; d >>= 1) {
        const float t = __shfl_xor_sync(~0u, top, d), s = __shfl_xor_sync(~0u, sum, d);
        unite(top, sum, t, s);
    }
    if (threadIdx.x % 32 == 0) {
        tops[threadIdx.x / 32] = top;
        sums[threadIdx.x / 32] = sum;
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int w = 1; w < WARPS; ++w) unite(top, sum, tops[w], sums[w]);
        const int at = label[blockIdx.x];
        const float2 t = __bfloat1622float2(row[at / VEC].v[at % VEC / 2]);
        loss[blockIdx.x] = top + __logf(sum) - (at % 2 ? t.y : t.x);
    }
}
