// C = A B for 1,024 x 1,024 results of depth 1,024; a warp has 32 x 32 of them as pieces of 16 x 16, 32 x 8 or 8 x 32;
// B lies in shared memory in panels as wide as a piece.
#include <cuda_fp16.h>
#include <mma.h>
using namespace nvcuda;
constexpr int M = SHAPE == 0 ? 16 : SHAPE == 1 ? 32 : 8, N = 256 / M, RM = 32 / M, RN = 32 / N;
constexpr int THREADS = 64 * UP, BM = 32 * UP, LDA = BK + PAD, LDB = N + PAD, PANEL = BK * LDB;

extern "C" __global__ void __launch_bounds__(THREADS)
hgemm_wmma_shapes(const __half* __restrict__ a, const __half* __restrict__ b, float* __restrict__ c)
{
    __shared__ alignas(128) __half as[BM * LDA], bs[64 / N * PANEL];
    const int warp = threadIdx.x / 32, wr = warp / 2 * 32, wc = warp % 2 * 32, row0 = blockIdx.y * BM, col0 = blockIdx.x * 64;
    wmma::fragment<wmma::accumulator, M, N, 16, float> acc[RM][RN];
#pragma unroll
    for (int i = 0; i < RM; ++i)
#pragma unroll
        for (int j = 0; j < RN; ++j) wmma::fill_fragment(acc[i][j], 0.0f);
#pragma unroll 1
    for (int k0 = 0; k0 < 1024; k0 += BK) {
        for (int i = threadIdx.x; i < BM * BK / 8; i += THREADS) {
            const int r = i / (BK / 8), k = i % (BK / 8) * 8;
            *reinterpret_cast<uint4*>(as + r * LDA + k) = *reinterpret_cast<const uint4*>(a + (row0 + r) * 1024 + k0 + k);
        }
        for (int i = threadIdx.x; i < BK * 8; i += THREADS)
            *reinterpret_cast<uint4*>(bs + i % 8 * 8 / N * PANEL + i / 8 * LDB + i % 8 * 8 % N) =
                *reinterpret_cast<const uint4*>(b + (k0 + i / 8) * 1024 + col0 + i % 8 * 8);
        __syncthreads();
#pragma unroll
        for (int k = 0; k < BK; k += 16) {
            wmma::fragment<wmma::matrix_a, M, N, 16, __half, wmma::row_major> f[RM];
            wmma::fragment<wmma::matrix_b, M, N, 16, __half, wmma::row_major> g[RN];
#pragma unroll
            for (int i = 0; i < RM; ++i) wmma::load_matrix_sync(f[i], as + (wr + i * M) * LDA + k, LDA);
#pragma unroll
            for (int j = 0; j < RN; ++j) wmma::load_matrix_sync(g[j], bs + (wc / N + j) * PANEL + k * LDB, LDB);
#pragma unroll
            for (int i = 0; i < RM; ++i)
#pragma unroll
                for (int j = 0; j < RN; ++j) wmma::mma_sync(acc[i][j], f[i], g[j], acc[i][j]);
        }
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < RM; ++i)
#pragma unroll
        for (int j = 0; j < RN; ++j)
            wmma::store_matrix_sync(c + (row0 + wr + i * M) * 1024 + col0 + wc + j * N, acc[i][j], 1024, wmma::mem_row_major);
}
