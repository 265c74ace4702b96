// 32 weights of five bits are 22 bytes: a factor, 32 high bits and 16 bytes of low bits. The vector has bytes and factors.
#include <cuda_fp16.h>
struct Block { __half d; unsigned short high[2], low[8]; };
constexpr int K = 4096, BLOCKS = K / 32, WARPS = THREADS / 32, QUADS = 4 / PARTS;

extern "C" __global__ void __launch_bounds__(THREADS)
gemv_q5_blocks_dp4a(const Block* __restrict__ w, const int* __restrict__ x, const float2* __restrict__ xd, float* __restrict__ y)
{
    const int lane = threadIdx.x % 32, row0 = (blockIdx.x * WARPS + threadIdx.x / 32) * ROWS, part = lane % PARTS;
    float sum[ROWS] = {};
#pragma unroll 2
    for (int b = lane / PARTS; b < BLOCKS; b += 32 / PARTS) {
        int u[2 * QUADS];
#pragma unroll
        for (int i = 0; i < QUADS; ++i) {
            u[2 * i] = x[b * 8 + part * QUADS + i];
            u[2 * i + 1] = x[b * 8 + part * QUADS + i + 4];
        }
        const float2 d = xd[b];
#pragma unroll
        for (int r = 0; r < ROWS; ++r) {
            const Block* block = w + (size_t)(row0 + r) * BLOCKS + b;
            const unsigned high = block->high[0] | block->high[1] << 16;
            int dot = 0;
#pragma unroll
            for (int i = 0; i < QUADS; ++i) {
                const int at = part * QUADS + i;
                const unsigned low = block->low[2 * at] | block->low[2 * at + 1] << 16, h = high >> 4 * at;
                const unsigned a = low & 0x0f0f0f0fu | (h << 4 & 0x10u) | (h << 11 & 0x1000u) | (h << 18 & 0x100000u) | (h << 25 & 0x10000000u);
                const unsigned g = h >> 16;
                const unsigned c = low >> 4 & 0x0f0f0f0fu | (g << 4 & 0x10u) | (g << 11 & 0x1000u) | (g << 18 & 0x100000u) | (g << 25 & 0x10000000u);
                dot = __dp4a((int)a, u[2 * i], dot);
                dot = __dp4a((int)c, u[2 * i + 1], dot);
            }
            sum[r] += __half2float(block->d) * (dot * d.x - 16.0f / PARTS * d.y);
        }
    }
#pragma unroll
    for (int r = 0; r < ROWS; ++r) {
#pragma unroll
        for (int d = 16; d; d >>= 1) sum[r] += __shfl_xor_sync(~0u, sum[r], d);
        if (lane == 0) y[row0 + r] = sum[r];
    }
}
