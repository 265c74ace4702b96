// C = A B in FP16 with sums in FP32, 1024 x 1024 by 1024 x 2048. Each warp owns FRAGS x FRAGS fragments of C;
// without STAGED it loads the operands' fragments straight from memory.
#include <mma.h>
#include <cuda_fp16.h>
using namespace nvcuda;

const int TILE_M = 16 * FRAGS * WARPS_M, TILE_N = 16 * FRAGS * WARPS_N, DEPTH = 32;

extern "C" __global__ void wmma_direct(const half* __restrict__ a, const half* __restrict__ b, half* __restrict__ c)
{
    const int K = 1024, N = 2048;
    const int warp = threadIdx.x / 32, wm = warp / WARPS_N * 16 * FRAGS, wn = warp % WARPS_N * 16 * FRAGS;
    const half* block_a = a + blockIdx.y * TILE_M * K;
    const half* block_b = b + blockIdx.x * TILE_N;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> acc[FRAGS][FRAGS];
    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fa[FRAGS];
    wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> fb[FRAGS];
#pragma unroll
    for (int i = 0; i < FRAGS; ++i)
#pragma unroll
        for (int j = 0; j < FRAGS; ++j) wmma::fill_fragment(acc[i][j], 0.0f);

#if STAGED
    __shared__ __align__(32) half sa[TILE_M * (DEPTH + 8)], sb[DEPTH * (TILE_N + 8)];
#endif
    for (int k0 = 0; k0 < K; k0 += DEPTH) {
#if STAGED
        for (int i = threadIdx.x; i < TILE_M * DEPTH / 8; i += blockDim.x) {
            const int r = i / (DEPTH / 8), k = i % (DEPTH / 8) * 8;
            *(int4*)(sa + r * (DEPTH + 8) + k) = *(const int4*)(block_a + r * K + k0 + k);
        }
        for (int i = threadIdx.x; i < DEPTH * TILE_N / 8; i += blockDim.x) {
            const int r = i / (TILE_N / 8), n = i % (TILE_N / 8) * 8;
            *(int4*)(sb + r * (TILE_N + 8) + n) = *(const int4*)(block_b + (k0 + r) * N + n);
        }
        __syncthreads();
        const half *pa = sa + wm * (DEPTH + 8), *pb = sb + wn;
        const int lda = DEPTH + 8, ldb = TILE_N + 8;
#else
        const half *pa = block_a + wm * K + k0, *pb = block_b + k0 * N + wn;
        const int lda = K, ldb = N;
#endif
#pragma unroll
        for (int k = 0; k < DEPTH; k += 16) {
#pragma unroll
            for (int i = 0; i < FRAGS; ++i) {
                wmma::load_matrix_sync(fa[i], pa + 16 * i * lda + k, lda);
                wmma::load_matrix_sync(fb[i], pb + k * ldb + 16 * i, ldb);
            }
#pragma unroll
            for (int i = 0; i < FRAGS; ++i)
#pragma unroll
                for (int j = 0; j < FRAGS; ++j) wmma::mma_sync(acc[i][j], fa[i], fb[j], acc[i][j]);
        }
#if STAGED
        __syncthreads();
#endif
    }
#pragma unroll
    for (int i = 0; i < FRAGS; ++i)
#pragma unroll
        for (int j = 0; j < FRAGS; ++j) {
            wmma::fragment<wmma::accumulator, 16, 16, 16, half> result;
#pragma unroll
            for (int e = 0; e < result.num_elements; ++e) result.x[e] = __float2half(acc[i][j].x[e] * 0.0625f);
            wmma::store_matrix_sync(c + (blockIdx.y * TILE_M + wm + 16 * i) * N + blockIdx.x * TILE_N + wn + 16 * j,
                                    result, N, wmma::mem_row_major);
        }
}
