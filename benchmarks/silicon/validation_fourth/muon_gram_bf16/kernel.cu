// The Gram matrix x times x's transpose of a Newton-Schulz step, bf16 through WMMA. SYMMETRIC makes the tiles above the
// diagonal alone and writes each twice.
#include <cuda_bf16.h>
#include <mma.h>

using namespace nvcuda;

constexpr int N = 1024, K = 1024, PITCH = BK + 8, COLUMNS = WARPS / 2, FM = TILE / 2 / 16, FN = TILE / COLUMNS / 16;

extern "C" __global__ void __launch_bounds__(WARPS * 32)
muon_gram_bf16(const __nv_bfloat16* __restrict__ x, float* __restrict__ gram)
{
#if SYMMETRIC
    if (blockIdx.x < blockIdx.y) return;
#endif
    __shared__ __align__(128) __nv_bfloat16 sa[TILE * PITCH], sb[TILE * PITCH];
    const int t = threadIdx.x, warp = t / 32, wm = warp / COLUMNS * FM * 16, wn = warp % COLUMNS * FN * 16;
    const int m0 = blockIdx.y * TILE, n0 = blockIdx.x * TILE;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> acc[FM][FN];
#pragma unroll
    for (int i = 0; i < FM; ++i)
#pragma unroll
        for (int j = 0; j < FN; ++j) wmma::fill_fragment(acc[i][j], 0.0f);

    for (int k0 = 0; k0 < K; k0 += BK) {
#pragma unroll
        for (int i = t; i < TILE * BK / 8; i += WARPS * 32) {
            const int r = i / (BK / 8), k = i % (BK / 8) * 8;
            *reinterpret_cast<uint4*>(sa + r * PITCH + k) =
                *reinterpret_cast<const uint4*>(x + (size_t)(m0 + r) * K + k0 + k);
            *reinterpret_cast<uint4*>(sb + r * PITCH + k) =
                *reinterpret_cast<const uint4*>(x + (size_t)(n0 + r) * K + k0 + k);
        }
        __syncthreads();
#pragma unroll
        for (int k = 0; k < BK; k += 16) {
            wmma::fragment<wmma::matrix_a, 16, 16, 16, __nv_bfloat16, wmma::row_major> fa[FM];
            wmma::fragment<wmma::matrix_b, 16, 16, 16, __nv_bfloat16, wmma::col_major> fb;
#pragma unroll
            for (int i = 0; i < FM; ++i) wmma::load_matrix_sync(fa[i], sa + (wm + i * 16) * PITCH + k, PITCH);
#pragma unroll
            for (int j = 0; j < FN; ++j) {
                wmma::load_matrix_sync(fb, sb + (wn + j * 16) * PITCH + k, PITCH);
#pragma unroll
                for (int i = 0; i < FM; ++i) wmma::mma_sync(acc[i][j], fa[i], fb, acc[i][j]);
            }
        }
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < FM; ++i)
#pragma unroll
        for (int j = 0; j < FN; ++j) {
            const int row = m0 + wm + i * 16, column = n0 + wn + j * 16;
            wmma::store_matrix_sync(gram + (size_t)row * N + column, acc[i][j], N, wmma::mem_row_major);
#if SYMMETRIC
            if (blockIdx.x != blockIdx.y)
                wmma::store_matrix_sync(gram + (size_t)column * N + row, acc[i][j], N, wmma::mem_col_major);
#endif
        }
}
