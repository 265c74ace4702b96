// A row of threads takes every GROUPS-th row; sums of the rows of threads are added in shared memory.
#include <cuda_fp16.h>
constexpr int U = UNROLL;
struct alignas(VEC * 2) Pack { __half2 v[VEC / 2]; };

extern "C" __global__ void __launch_bounds__(32 * GROUPS)
mean_middle_axis_half(const Pack* __restrict__ x, float* __restrict__ y)
{
    __shared__ float sums[GROUPS][32 * VEC];
    const Pack* from = x + (size_t)blockIdx.y * 512 * (512 / VEC) + blockIdx.x * 32 + threadIdx.x;
    float acc[VEC] = {};
#pragma unroll U
    for (int r = 0; r < 512 / GROUPS; ++r) {
        const Pack p = from[(r * GROUPS + threadIdx.y) * (512 / VEC)];
#pragma unroll
        for (int j = 0; j < VEC / 2; ++j) {
            const float2 f = __half22float2(p.v[j]);
            acc[2 * j] += f.x;
            acc[2 * j + 1] += f.y;
        }
    }
#pragma unroll
    for (int j = 0; j < VEC; ++j) sums[threadIdx.y][j * 32 + threadIdx.x] = acc[j];
    __syncthreads();
    for (int i = threadIdx.y * 32 + threadIdx.x; i < 32 * VEC; i += 32 * GROUPS) {
        float s = 0.0f;
#pragma unroll
        for (int g = 0; g < GROUPS; ++g) s += sums[g][i];
        y[blockIdx.y * 512 + (blockIdx.x * 32 + i % 32) * VEC + i / 32] = s * (1.0f / 512.0f);
    }
}
