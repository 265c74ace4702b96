// 16 images of 56 x 56 pixels; a block moves TILE pixels of 64 channels.
#include <cuda_fp16.h>
constexpr int PIXELS = 3136;

extern "C" __global__ void __launch_bounds__(256)
nchw_from_nhwc_half(const __half2* __restrict__ x, __half* __restrict__ y)
{
    __shared__ __align__(4) __half tile[TILE][64 + PAD];
    const int p0 = blockIdx.x * TILE, c0 = blockIdx.y * 64;
    const __half2* from = x + ((size_t)blockIdx.z * PIXELS + p0) * (CHANNELS / 2) + c0 / 2;
    __half* to = y + ((size_t)blockIdx.z * CHANNELS + c0) * PIXELS + p0;
#pragma unroll
    for (int i = threadIdx.x; i < TILE * 32; i += 256)
        *reinterpret_cast<__half2*>(&tile[i / 32][i % 32 * 2]) = from[i / 32 * (CHANNELS / 2) + i % 32];
    __syncthreads();
#pragma unroll
    for (int i = threadIdx.x; i < TILE * 64 / PAIR; i += 256) {
        const int p = i % (TILE / PAIR) * PAIR, c = i / (TILE / PAIR);
        if (PAIR == 1) to[c * PIXELS + p] = tile[p][c];
        else *reinterpret_cast<__half2*>(to + c * PIXELS + p) = __halves2half2(tile[p][c], tile[p + 1][c]);
    }
}
