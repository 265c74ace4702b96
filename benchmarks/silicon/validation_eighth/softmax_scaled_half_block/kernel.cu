// Softmax of rows of FP16 numbers times a scale; LANES threads hold a row in registers, ROWS rows a block.
#include <cuda_fp16.h>
constexpr int PER = COLS / LANES, VEC = PER < 8 ? PER : 8, PARTS = PER / VEC, WARPS = LANES / 32;
struct alignas(VEC * 2) Pack { __half2 v[VEC / 2]; };

extern "C" __global__ void __launch_bounds__(LANES * ROWS)
softmax_scaled_half_block(const Pack* __restrict__ x, Pack* __restrict__ y, float scale)
{
    __shared__ float tops[ROWS][WARPS], sums[ROWS][WARPS];
    const size_t row = (size_t)(blockIdx.x * ROWS + threadIdx.y) * (COLS / VEC);
    float f[PER], top = -1.0e30f, sum = 0.0f;
#pragma unroll
    for (int i = 0; i < PARTS; ++i) {
        const Pack p = x[row + i * LANES + threadIdx.x];
#pragma unroll
        for (int j = 0; j < VEC / 2; ++j) {
            const float2 t = __half22float2(p.v[j]);
            f[i * VEC + 2 * j] = t.x * scale;
            f[i * VEC + 2 * j + 1] = t.y * scale;
            top = fmaxf(top, fmaxf(t.x, t.y) * scale);
        }
    }
#pragma unroll
    for (int d = 16; d; d >>= 1) top = fmaxf(top, __shfl_xor_sync(~0u, top, d));
    if (WARPS > 1) {
        if (threadIdx.x % 32 == 0) tops[threadIdx.y][threadIdx.x / 32] = top;
        __syncthreads();
#pragma unroll
        for (int w = 0; w < WARPS; ++w) top = fmaxf(top, tops[threadIdx.y][w]);
    }
#pragma unroll
    for (int i = 0; i < PER; ++i) {
        f[i] = __expf(f[i] - top);
        sum += f[i];
    }
#pragma unroll
    for (int d = 16; d; d >>= 1) sum += __shfl_xor_sync(~0u, sum, d);
    if (WARPS > 1) {
        if (threadIdx.x % 32 == 0) sums[threadIdx.y][threadIdx.x / 32] = sum;
        __syncthreads();
        sum = 0.0f;
#pragma unroll
        for (int w = 0; w < WARPS; ++w) sum += sums[threadIdx.y][w];
    }
    const float inverse = 1.0f / sum;
#pragma unroll
    for (int i = 0; i < PARTS; ++i) {
        Pack p;
#pragma unroll
        for (int j = 0; j < VEC / 2; ++j)
            p.v[j] = __floats2half2_rn(f[i * VEC + 2 * j] * inverse, f[i * VEC + 2 * j + 1] * inverse);
        y[row + i * LANES + threadIdx.x] = p;
    }
}
