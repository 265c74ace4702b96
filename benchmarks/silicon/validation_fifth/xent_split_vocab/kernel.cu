// Partial log-sum-exp of a chunk of FP16 logits by a running maximum; the block that holds the target writes its logit.
#include <cuda_fp16.h>

struct alignas(VEC * 2) Pack { __half2 v[VEC / 2]; };

__device__ void merge(float& top, float& sum, float other_top, float other_sum)
{
    const float high = fmaxf(top, other_top);
    sum = sum * __expf(top - high) + other_sum * __expf(other_top - high);
    top = high;
}

extern "C" __global__ void __launch_bounds__(THREADS)
xent_split_vocab(const Pack* __restrict__ logits, const int* __restrict__ targets, float4* __restrict__ partial)
{
    __shared__ float tops[THREADS / 32], sums[THREADS / 32], squares[THREADS / 32];
    const int t = threadIdx.x, row = blockIdx.y, from = blockIdx.x * CHUNK;
    const Pack* x = logits + ((size_t)row * VOCAB + from) / VEC;
    float top = -1e30f, sum = 0.0f, square = 0.0f;
#pragma unroll 4
    for (int i = t; i < CHUNK / VEC; i += THREADS) {
        const Pack p = x[i];
        float high = top;
        float2 f[VEC / 2];
#pragma unroll
        for (int k = 0; k < VEC / 2; ++k) {
            f[k] = __half22float2(p.v[k]);
            high = fmaxf(high, fmaxf(f[k].x, f[k].y));
            square += f[k].x * f[k].x + f[k].y * f[k].y;
        }
        sum *= __expf(top - high);
        top = high;
#pragma unroll
        for (int k = 0; k < VEC / 2; ++k) sum += __expf(f[k].x - high) + __expf(f[k].y - high);
    }
#pragma unroll
    for (int d = 16; d > 0; d >>= 1) {
        merge(top, sum, __shfl_xor_sync(0xffffffff, top, d), __shfl_xor_sync(0xffffffff, sum, d));
        square += __shfl_xor_sync(0xffffffff, square, d);
    }
    if (t % 32 == 0) {
        tops[t / 32] = top;
        sums[t / 32] = sum;
        squares[t / 32] = square;
    }
    __syncthreads();
    if (t == 0) {
        for (int w = 1; w < THREADS / 32; ++w) {
            merge(top, sum, tops[w], sums[w]);
            square += squares[w];
        }
        const int target = targets[row] - from;
        const float own = target >= 0 && target < CHUNK ? __half2float(((const __half*)x)[target]) : 0.0f;
        partial[row * gridDim.x + blockIdx.x] = make_float4(top, sum, square, own);
    }
}
