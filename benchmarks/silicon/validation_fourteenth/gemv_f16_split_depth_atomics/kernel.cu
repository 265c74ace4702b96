// y += W x; a warp has some rows and a part of the depth.
#include <cuda_fp16.h>
constexpr int K = 16384, PART = K / SPLITS / VEC, PACKS = K / VEC;
struct alignas(VEC * 2) Pack { __half2 h[VEC / 2]; };

extern "C" __global__ void __launch_bounds__(WARPS * 32)
gemv_f16_split_depth_atomics(const Pack* __restrict__ w, const Pack* __restrict__ x, float* __restrict__ y)
{
    const int lane = threadIdx.x % 32, row = (blockIdx.x * WARPS + threadIdx.x / 32) * ROWS, from = blockIdx.y * PART;
    float sum[ROWS] = {};
#pragma unroll 2
    for (int i = from + lane; i < from + PART; i += 32) {
        const Pack px = x[i];
        Pack pw[ROWS];
#pragma unroll
        for (int r = 0; r < ROWS; ++r) pw[r] = w[(size_t)(row + r) * PACKS + i];
#pragma unroll
        for (int r = 0; r < ROWS; ++r)
#pragma unroll
            for (int j = 0; j < VEC / 2; ++j) {
                const float2 fw = __half22float2(pw[r].h[j]), fx = __half22float2(px.h[j]);
                sum[r] += fw.x * fx.x + fw.y * fx.y;
            }
    }
#pragma unroll
    for (int d = 16; d; d >>= 1)
#pragma unroll
        for (int r = 0; r < ROWS; ++r) sum[r] += __shfl_xor_sync(~0u, sum[r], d);
    if (lane == 0) {
#pragma unroll
        for (int r = 0; r < ROWS; ++r) atomicAdd(y + row + r, sum[r]);
    }
}
