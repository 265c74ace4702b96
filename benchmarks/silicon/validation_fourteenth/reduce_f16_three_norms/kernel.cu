// Each block leaves three numbers; a later launch puts them together.
#include <cuda_fp16.h>
constexpr int PACKS = 33554432 / VEC, THREADS = 256, WARPS = 8;
struct alignas(VEC * 2) Pack { __half2 h[VEC / 2]; };

extern "C" __global__ void __launch_bounds__(THREADS)
reduce_f16_three_norms(const Pack* __restrict__ x, float* __restrict__ norms)
{
    constexpr int U = UNROLL;
    __shared__ float part[3][WARPS];
    float one = 0.0f, two = 0.0f, top = 0.0f;
    __half2 tops = __float2half2_rn(0.0f);
#pragma unroll U
    for (int i = blockIdx.x * THREADS + threadIdx.x; i < PACKS; i += BLOCKS * THREADS) {
        const Pack p = x[i];
#pragma unroll
        for (int j = 0; j < VEC / 2; ++j) {
            const __half2 a = __habs2(p.h[j]);
            const float2 f = __half22float2(a);
            one += f.x + f.y;
            two += f.x * f.x + f.y * f.y;
            if (PAIRS) tops = __hmax2(tops, a);
            else top = fmaxf(top, fmaxf(f.x, f.y));
        }
    }
    if (PAIRS) top = fmaxf(__low2float(tops), __high2float(tops));
#pragma unroll
    for (int d = 16; d; d >>= 1) {
        one += __shfl_xor_sync(~0u, one, d);
        two += __shfl_xor_sync(~0u, two, d);
        top = fmaxf(top, __shfl_xor_sync(~0u, top, d));
    }
    if (threadIdx.x % 32 == 0) {
        part[0][threadIdx.x / 32] = one;
        part[1][threadIdx.x / 32] = two;
        part[2][threadIdx.x / 32] = top;
    }
    __syncthreads();
    if (threadIdx.x < 3) {
        float r = part[threadIdx.x][0];
#pragma unroll
        for (int w = 1; w < WARPS; ++w) r = threadIdx.x == 2 ? fmaxf(r, part[threadIdx.x][w]) : r + part[threadIdx.x][w];
        norms[threadIdx.x * BLOCKS + blockIdx.x] = r;
    }
}
