// Mean of max(0, 1 - score of the label + score) over the other classes.
#include <cuda_bf16.h>
constexpr int PACKS = COLS / VEC, THREADS = WARPS * 32;
struct alignas(VEC * 2) Pack { __nv_bfloat162 h[VEC / 2]; };

__device__ __forceinline__ float hinge(float f)
{
    f = fmaxf(f, 0.0f);
    return POWER == 2 ? f * f : f;
}

extern "C" __global__ void __launch_bounds__(THREADS)
margin_loss_bf16_rows(const __nv_bfloat16* __restrict__ scores, const int* __restrict__ labels, float* __restrict__ loss)
{
    __shared__ float part[WARPS];
    const __nv_bfloat16* row = scores + (size_t)blockIdx.x * COLS;
    const float base = 1.0f - __bfloat162float(row[labels[blockIdx.x]]);
    float sum = 0.0f;
#pragma unroll 4
    for (int i = threadIdx.x; i < PACKS; i += THREADS) {
        const Pack p = reinterpret_cast<const Pack*>(row)[i];
#pragma unroll
        for (int j = 0; j < VEC / 2; ++j) {
            const float2 f = __bfloat1622float2(p.h[j]);
            sum += hinge(base + f.x) + hinge(base + f.y);
        }
    }
#pragma unroll
    for (int d = 16; d; d >>= 1) sum += __shfl_xor_sync(~0u, sum, d);
    if (WARPS > 1) {
        if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = sum;
        __syncthreads();
        sum = 0.0f;
#pragma unroll
        for (int w = 0; w < WARPS; ++w) sum += part[w];
    }
    if (threadIdx.x == 0) loss[blockIdx.x] = (sum - 1.0f) / COLS;   // the label's own term is one
}
