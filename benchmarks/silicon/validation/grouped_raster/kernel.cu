// FP16 product of 8192 x 1024 by 1024 x 2048 through WMMA, tiles of 128 x 128 in shared memory.
// The order of the blocks: GROUP rows of tiles are walked together, column by column (1 is row-major).
#include <mma.h>
#include <cuda_fp16.h>
using namespace nvcuda;

extern "C" __global__ void grouped_raster(const half* __restrict__ a, const half* __restrict__ b,
                                          half* __restrict__ c) {
    constexpr int columns = 2048, depth = 1024, tiles_n = columns / 128;
    __shared__ __align__(32) half sa[128][TILE_K + 8];
    __shared__ __align__(32) half sb[TILE_K][128 + 8];
    int first = blockIdx.x / (GROUP * tiles_n) * GROUP, in_group = blockIdx.x % (GROUP * tiles_n);
    int m0 = (first + in_group % GROUP) * 128, n0 = in_group / GROUP * 128;
    int warp = threadIdx.x / 32, wm = warp / 4 * 64, wn = warp % 4 * 32;
    wmma::fragment<wmma::accumulator, 16, 16, 16, half> sum[4][2];
    for (int i = 0; i < 4; ++i)
        for (int j = 0; j < 2; ++j) wmma::fill_fragment(sum[i][j], __float2half(0.0f));
    for (int k0 = 0; k0 < depth; k0 += TILE_K) {
#pragma unroll
        for (int i = threadIdx.x; i < 128 * TILE_K / 8; i += 256) {
            int r = i / (TILE_K / 8), k = i % (TILE_K / 8) * 8;
            *(uint4*)&sa[r][k] = *(const uint4*)(a + (size_t)(m0 + r) * depth + k0 + k);
            int rb = i / 16, cb = i % 16 * 8;
            *(uint4*)&sb[rb][cb] = *(const uint4*)(b + (size_t)(k0 + rb) * columns + n0 + cb);
        }
        __syncthreads();
#pragma unroll
        for (int k = 0; k < TILE_K; k += 16) {
            wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fa[4];
            wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> fb[2];
#pragma unroll
            for (int i = 0; i < 4; ++i) wmma::load_matrix_sync(fa[i], &sa[wm + 16 * i][k], TILE_K + 8);
#pragma unroll
            for (int j = 0; j < 2; ++j) wmma::load_matrix_sync(fb[j], &sb[k][wn + 16 * j], 128 + 8);
#pragma unroll
            for (int i = 0; i < 4; ++i)
#pragma unroll
                for (int j = 0; j < 2; ++j) wmma::mma_sync(sum[i][j], fa[i], fb[j], sum[i][j]);
        }
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < 4; ++i)
#pragma unroll
        for (int j = 0; j < 2; ++j)
            wmma::store_matrix_sync(c + (size_t)(m0 + wm + 16 * i) * columns + n0 + wn + 16 * j, sum[i][j], columns,
                                    wmma::mem_row_major);
}
