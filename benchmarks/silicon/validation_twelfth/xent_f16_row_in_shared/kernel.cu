// Cross entropy of FP16 logits with z-loss, a block a row: the row in shared memory, or read twice.
#include <cuda_fp16.h>
constexpr int V = VOCAB / 8;
struct alignas(16) Half8 { __half2 h[4]; };

extern "C" __global__ void __launch_bounds__(THREADS)
xent_f16_row_in_shared(const Half8* __restrict__ logits, const int* __restrict__ label, float* __restrict__ loss)
{
    constexpr int U = UNROLL;
    __shared__ Half8 row[STAGED ? V : 1];
    __shared__ float parts[2][THREADS / 32];
    const Half8* from = logits + (size_t)blockIdx.x * V;
    float top = -1.0e30f;
#pragma unroll U
    for (int i = threadIdx.x; i < V; i += THREADS) {
        const Half8 p = from[i];
        if (STAGED) row[STAGED ? i : 0] = p;
        const __half2 m = __hmax2(__hmax2(p.h[0], p.h[1]), __hmax2(p.h[2], p.h[3]));
        top = fmaxf(top, fmaxf(__low2float(m), __high2float(m)));
    }
#pragma unroll
    for (int d = 16; d; d >>= 1) top = fmaxf(top, __shfl_xor_sync(~0u, top, d));
    if (threadIdx.x % 32 == 0) parts[0][threadIdx.x / 32] = top;
    __syncthreads();
#pragma unroll
    for (int i = 0; i < THREADS / 32; ++i) top = fmaxf(top, parts[0][i]);
    float sum = 0.0f;
#pragma unroll U
    for (int i = threadIdx.x; i < V; i += THREADS) {
        const Half8 p = STAGED ? row[STAGED ? i : 0] : from[i];
#pragma unroll
        for (int j = 0; j < 4; ++j) {
            const float2 f = __half22float2(p.h[j]);
            sum += __expf(f.x - top) + __expf(f.y - top);
        }
    }
#pragma unroll
    for (int d = 16; d; d >>= 1) sum += __shfl_xor_sync(~0u, sum, d);
    if (threadIdx.x % 32 == 0) parts[1][threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int i = 1; i < THREADS / 32; ++i) sum += parts[1][i];
        const float lse = top + logf(sum);
        const __half hit = reinterpret_cast<const __half*>(from)[label[blockIdx.x]];
        loss[blockIdx.x] = lse - __half2float(hit) + 1.0e-4f * lse * lse;
    }
}
