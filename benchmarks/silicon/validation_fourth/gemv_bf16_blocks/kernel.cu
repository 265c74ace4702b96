// bf16 matrix by a vector as an inference engine has it: a block makes one or two results, eight numbers an access,
// then a sum over the block.
#include <cuda_bf16.h>

constexpr int WARPS = THREADS / 32;

struct alignas(16) Pack { __nv_bfloat162 v[4]; };

extern "C" __global__ void __launch_bounds__(THREADS)
gemv_bf16_blocks(const Pack* __restrict__ w, const Pack* __restrict__ x, float* __restrict__ y)
{
    __shared__ float part[ROWS_BLOCK][WARPS];
    const int row = blockIdx.x * ROWS_BLOCK;
    float sum[ROWS_BLOCK] = {};
    for (int i = threadIdx.x; i < COLS / 8; i += THREADS) {
        const Pack v = x[i];
#pragma unroll
        for (int r = 0; r < ROWS_BLOCK; ++r) {
            const Pack p = w[(size_t)(row + r) * (COLS / 8) + i];
#pragma unroll
            for (int k = 0; k < 4; ++k) {
                const float2 a = __bfloat1622float2(p.v[k]), b = __bfloat1622float2(v.v[k]);
                sum[r] += a.x * b.x + a.y * b.y;
            }
        }
    }
#pragma unroll
    for (int r = 0; r < ROWS_BLOCK; ++r) {
#pragma unroll
        for (int d = 16; d > 0; d >>= 1) sum[r] += __shfl_xor_sync(0xffffffff, sum[r], d);
        if (threadIdx.x % 32 == 0) part[r][threadIdx.x / 32] = sum[r];
    }
    __syncthreads();
    if (threadIdx.x < ROWS_BLOCK) {
        float total = 0.0f;
#pragma unroll
        for (int j = 0; j < WARPS; ++j) total += part[threadIdx.x][j];
        y[row + threadIdx.x] = total;
    }
}
