// bf16 matrix product with FP32 sums through WMMA: four warps share a square tile of C.
// PAD elements after each row of the shared tiles keep their rows off the same banks.
#include <mma.h>
#include <cuda_bf16.h>
using namespace nvcuda;

extern "C" __global__ void wmma_bf16(const __nv_bfloat16* __restrict__ a, const __nv_bfloat16* __restrict__ b,
                                     float* __restrict__ c) {
    constexpr int columns = 2048, depth = 1024, each = TILE / 32;
    __shared__ __align__(32) __nv_bfloat16 sa[TILE][TILE_K + PAD];
    __shared__ __align__(32) __nv_bfloat16 sb[TILE_K][TILE + PAD];
    int m0 = blockIdx.y * TILE, n0 = blockIdx.x * TILE, warp = threadIdx.x / 32;
    int wm = warp / 2 * (TILE / 2), wn = warp % 2 * (TILE / 2);
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum[each][each];
    for (int i = 0; i < each; ++i)
        for (int j = 0; j < each; ++j) wmma::fill_fragment(sum[i][j], 0.0f);
    for (int k0 = 0; k0 < depth; k0 += TILE_K) {
#pragma unroll
        for (int i = threadIdx.x; i < TILE * TILE_K / 8; i += 128) {
            int r = i / (TILE_K / 8), k = i % (TILE_K / 8) * 8;
            *(uint4*)&sa[r][k] = *(const uint4*)(a + (m0 + r) * depth + k0 + k);
            int rb = i / (TILE / 8), cb = i % (TILE / 8) * 8;
            *(uint4*)&sb[rb][cb] = *(const uint4*)(b + (k0 + rb) * columns + n0 + cb);
        }
        __syncthreads();
#pragma unroll
        for (int k = 0; k < TILE_K; k += 16) {
            wmma::fragment<wmma::matrix_a, 16, 16, 16, __nv_bfloat16, wmma::row_major> fa[each];
            wmma::fragment<wmma::matrix_b, 16, 16, 16, __nv_bfloat16, wmma::row_major> fb;
#pragma unroll
            for (int i = 0; i < each; ++i) wmma::load_matrix_sync(fa[i], &sa[wm + 16 * i][k], TILE_K + PAD);
#pragma unroll
            for (int j = 0; j < each; ++j) {
                wmma::load_matrix_sync(fb, &sb[k][wn + 16 * j], TILE + PAD);
#pragma unroll
                for (int i = 0; i < each; ++i) wmma::mma_sync(sum[i][j], fa[i], fb, sum[i][j]);
            }
        }
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < each; ++i)
#pragma unroll
        for (int j = 0; j < each; ++j)
            wmma::store_matrix_sync(c + (m0 + wm + 16 * i) * columns + n0 + wn + 16 * j, sum[i][j], columns,
                                    wmma::mem_row_major);
}
