// Matrix of 4-bit numbers in blocks of 32 (a half scale and 16 bytes, 18 bytes a block) by a vector of int8 with a
// scale and a sum a block, by dp4a. WARPS_ROW warps share ROWS_BLOCK rows, a lane takes INTS of a block's four words.
#include <cuda_fp16.h>

struct Block { half d; unsigned short qs[8]; };

constexpr int PER_BLOCK = 4 / INTS, STEP = WARPS_ROW * 32 / PER_BLOCK;

extern "C" __global__ void __launch_bounds__(WARPS_ROW * 32)
q4_matvec_dp4a(const Block* __restrict__ w, const int* __restrict__ xq, const float2* __restrict__ xs,
               float* __restrict__ y, int blocks)
{
    const int t = threadIdx.y * 32 + threadIdx.x, row0 = blockIdx.x * ROWS_BLOCK, part = t % PER_BLOCK * INTS;
    float sum[ROWS_BLOCK] = {};
    for (int b = t / PER_BLOCK; b < blocks; b += STEP) {
        int lo[INTS], hi[INTS];
#pragma unroll
        for (int i = 0; i < INTS; ++i) {
            lo[i] = xq[b * 8 + part + i];
            hi[i] = xq[b * 8 + part + i + 4];
        }
        const float2 s = xs[b];
#pragma unroll
        for (int r = 0; r < ROWS_BLOCK; ++r) {
            const Block* block = w + (size_t)(row0 + r) * blocks + b;
            int dot = 0;
#pragma unroll
            for (int i = 0; i < INTS; ++i) {
                const int q = block->qs[(part + i) * 2] | block->qs[(part + i) * 2 + 1] << 16;
                dot = __dp4a(q & 0x0F0F0F0F, lo[i], dot);
                dot = __dp4a((q >> 4) & 0x0F0F0F0F, hi[i], dot);
            }
            sum[r] += __half2float(block->d) * (dot * s.x - s.y * (8.0f * INTS / 4));
        }
    }
#if WARPS_ROW > 1
    __shared__ float parts[WARPS_ROW][ROWS_BLOCK][32];
#pragma unroll
    for (int r = 0; r < ROWS_BLOCK; ++r) parts[threadIdx.y][r][threadIdx.x] = sum[r];
    __syncthreads();
    if (threadIdx.y > 0) return;
#pragma unroll
    for (int k = 1; k < WARPS_ROW; ++k)
#pragma unroll
        for (int r = 0; r < ROWS_BLOCK; ++r) sum[r] += parts[k][r][threadIdx.x];
#endif
#pragma unroll
    for (int r = 0; r < ROWS_BLOCK; ++r) {
        for (int m = 16; m > 0; m >>= 1) sum[r] += __shfl_xor_sync(0xffffffff, sum[r], m);
        if (threadIdx.x == 0) y[row0 + r] = sum[r];
    }
}
