// Transposes 64 x 64 tiles of halves. A lane loads and stores pairs; between them the tile lies in shared memory
// as it is, with one word of padding a row, or with its columns exchanged by exclusive or.
#include <cuda_fp16.h>

__device__ __forceinline__ int slot(int row, int pair)
{
    if (LAYOUT == 1) return row * 33 + pair;
    if (LAYOUT == 2) return row * 32 + (pair ^ (row >> 1));
    return row * 32 + pair;
}

extern "C" __global__ void transpose_half2(const half2* __restrict__ input, half2* __restrict__ output)
{
    __shared__ half2 tile[64 * 33];
    const int pitch = SIDE / 2, x = threadIdx.x;
    const half2* from = input + (size_t)blockIdx.y * 64 * pitch + blockIdx.x * 32;
    half2* to = output + (size_t)blockIdx.x * 64 * pitch + blockIdx.y * 32;

    for (int r = threadIdx.y; r < 64; r += ROWS_BLOCK) tile[slot(r, x)] = from[(size_t)r * pitch + x];
    __syncthreads();
    for (int p = threadIdx.y; p < 32; p += ROWS_BLOCK) {
        const half2 upper = tile[slot(2 * x, p)], lower = tile[slot(2 * x + 1, p)];
        to[(size_t)(2 * p) * pitch + x] = __lows2half2(upper, lower);
        to[(size_t)(2 * p + 1) * pitch + x] = __highs2half2(upper, lower);
    }
}
