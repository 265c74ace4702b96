// Block-sparse by dense product, a warp makes TILES_WARP tiles of a block row; operands come from global memory.
#include <cuda_fp16.h>
#include <mma.h>

using namespace nvcuda;

extern "C" __global__ void __launch_bounds__(WARPS * 32)
bsr_spmm_wmma(const __half* __restrict__ blocks, const int* __restrict__ columns, const __half* __restrict__ x,
              float* __restrict__ y)
{
    constexpr int SPLIT = 4 / TILES_WARP;
    const int warp = blockIdx.x * WARPS + threadIdx.x / 32, row = warp / SPLIT, first = warp % SPLIT * TILES_WARP;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum[TILES_WARP];
#pragma unroll
    for (int i = 0; i < TILES_WARP; ++i) wmma::fill_fragment(sum[i], 0.0f);
#pragma unroll 2
    for (int b = 0; b < BLOCKS_ROW; ++b) {
        const int entry = row * BLOCKS_ROW + b;
        wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> fa;
        wmma::load_matrix_sync(fa, blocks + entry * 256, 16);
        const __half* from = x + columns[entry] * (16 * 64);
#pragma unroll
        for (int i = 0; i < TILES_WARP; ++i) {
            wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::row_major> fb;
            wmma::load_matrix_sync(fb, from + (first + i) * 16, 64);
            wmma::mma_sync(sum[i], fa, fb, sum[i]);
        }
    }
#pragma unroll
    for (int i = 0; i < TILES_WARP; ++i)
        wmma::store_matrix_sync(y + row * (16 * 64) + (first + i) * 16, sum[i], 64, wmma::mem_row_major);
}
