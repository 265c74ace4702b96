// One pass for the maximum and the sum of exponentials together, one for the gradient.
#include <cuda_fp16.h>

struct alignas(16) Eight { __half2 v[4]; };

__device__ void merge(float& m, float& s, float om, float os)
{
    const float top = fmaxf(m, om);
    s = s * __expf(m - top) + os * __expf(om - top);
    m = top;
}

extern "C" __global__ void __launch_bounds__(THREADS)
xent_fused_grad_half(const Eight* __restrict__ logits, const int* __restrict__ labels, Eight* __restrict__ grad,
                     float* __restrict__ losses)
{
    extern __shared__ uint4 kept[];
    __shared__ float tops[THREADS / 32], sums[THREADS / 32];
    const size_t base = (size_t)blockIdx.x * (COLS / 8);
    const int label = labels[blockIdx.x];
    float top = -1e30f, sum = 0.0f;
    for (int i = threadIdx.x; i < COLS / 8; i += THREADS) {
        const Eight e = logits[base + i];
#if STAGED
        reinterpret_cast<Eight*>(kept)[i] = e;
#endif
        float x[8], most;
#pragma unroll
        for (int k = 0; k < 4; ++k) {
            const float2 f = __half22float2(e.v[k]);
            x[2 * k] = f.x;
            x[2 * k + 1] = f.y;
        }
        most = x[0];
#pragma unroll
        for (int k = 1; k < 8; ++k) most = fmaxf(most, x[k]);
        const float now = fmaxf(top, most);
        sum *= __expf(top - now);
#pragma unroll
        for (int k = 0; k < 8; ++k) sum += __expf(x[k] - now);
        top = now;
    }
#pragma unroll
    for (int d = 16; d > 0; d >>= 1)
        merge(top, sum, __shfl_xor_sync(0xffffffff, top, d), __shfl_xor_sync(0xffffffff, sum, d));
    if (threadIdx.x % 32 == 0) {
        tops[threadIdx.x / 32] = top;
        sums[threadIdx.x / 32] = sum;
    }
    __syncthreads();
    top = tops[0];
    sum = sums[0];
#pragma unroll
    for (int w = 1; w < THREADS / 32; ++w) merge(top, sum, tops[w], sums[w]);
    const float inverse = 1.0f / sum;
    if (threadIdx.x == 0) {
        const float x = __half2float(reinterpret_cast<const __half*>(logits)[base * 8 + label]);
        losses[blockIdx.x] = __logf(sum) + top - x;
    }
    for (int i = threadIdx.x; i < COLS / 8; i += THREADS) {
#if STAGED
        const Eight e = reinterpret_cast<Eight*>(kept)[i];
#else
        const Eight e = logits[base + i];
#endif
        Eight out;
#pragma unroll
        for (int k = 0; k < 4; ++k) {
            float2 f = __half22float2(e.v[k]);
            f.x = __expf(f.x - top) * inverse - (8 * i + 2 * k == label ? 1.0f : 0.0f);
            f.y = __expf(f.y - top) * inverse - (8 * i + 2 * k + 1 == label ? 1.0f : 0.0f);
            out.v[k] = __floats2half2_rn(f.x, f.y);
        }
        grad[base + i] = out;
    }
}
