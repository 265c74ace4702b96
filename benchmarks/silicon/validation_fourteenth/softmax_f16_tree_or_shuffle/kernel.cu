// Row softmax in FP16 with the row in registers; reductions of the block by a tree or by shuffles.
#include <cuda_fp16.h>
constexpr int EACH = COLS / (VEC * THREADS), WARPS = THREADS / 32;
struct alignas(VEC * 2) Pack { __half2 h[VEC / 2]; };

template <typename Op>
__device__ __forceinline__ float block_reduce(float v, float* shared, Op op)
{
    const int t = threadIdx.x;
    if (TREE) {
        shared[t] = v;
        __syncthreads();
#pragma unroll
        for (int d = THREADS / 2; d; d >>= 1) {
            if (t < d) shared[t] = op(shared[t], shared[t + d]);
            __syncthreads();
        }
        v = shared[0];
    } else {
#pragma unroll
        for (int d = 16; d; d >>= 1) v = op(v, __shfl_xor_sync(~0u, v, d));
        if (t % 32 == 0) shared[t / 32] = v;
        __syncthreads();
        v = shared[0];
#pragma unroll
        for (int w = 1; w < WARPS; ++w) v = op(v, shared[w]);
    }
    __syncthreads();
    return v;
}

extern "C" __global__ void __launch_bounds__(THREADS)
softmax_f16_tree_or_shuffle(const Pack* __restrict__ x, Pack* __restrict__ y)
{
    __shared__ float shared[THREADS];
    const size_t row = (size_t)blockIdx.x * (COLS / VEC);
    Pack p[EACH];
    float top = -1e30f;
#pragma unroll
    for (int i = 0; i < EACH; ++i) p[i] = x[row + i * THREADS + threadIdx.x];
#pragma unroll
    for (int i = 0; i < EACH; ++i)
#pragma unroll
        for (int j = 0; j < VEC / 2; ++j) {
            const float2 f = __half22float2(p[i].h[j]);
            top = fmaxf(top, fmaxf(f.x, f.y));
        }
    top = block_reduce(top, shared, [](float a, float b) { return fmaxf(a, b); });
    float sum = 0.0f;
#pragma unroll
    for (int i = 0; i < EACH; ++i)
#pragma unroll
        for (int j = 0; j < VEC / 2; ++j) {
            const float2 f = __half22float2(p[i].h[j]);
            const float a = __expf(f.x - top), b = __expf(f.y - top);
            sum += a + b;
            p[i].h[j] = __floats2half2_rn(a, b);
        }
    sum = block_reduce(sum, shared, [](float a, float b) { return a + b; });
    const __half2 scale = __float2half2_rn(1.0f / sum);
#pragma unroll
    for (int i = 0; i < EACH; ++i) {
#pragma unroll
        for (int j = 0; j < VEC / 2; ++j) p[i].h[j] = __hmul2(p[i].h[j], scale);
        y[row + i * THREADS + threadIdx.x] = p[i];
    }
}
