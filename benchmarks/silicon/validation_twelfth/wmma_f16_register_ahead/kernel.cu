// FP16 matrix product by wmma, the next tile in registers while this one is worked on; results staged for 128-bit stores.
#include <mma.h>
#include <cuda_fp16.h>
using namespace nvcuda;
constexpr int M = 1024, N = 2048, K = 2048, BM = 32 * WARPS_M, BN = 32 * WARPS_N, THREADS = 32 * WARPS_M * WARPS_N;
constexpr int LDA = BK + PAD, LDB = BN + PAD, NA = BM * BK / 8 / THREADS, NB = BK * BN / 8 / THREADS;

extern "C" __global__ void __launch_bounds__(THREADS)
wmma_f16_register_ahead(const __half* __restrict__ a, const __half* __restrict__ b, float* __restrict__ c)
{
    alignas(32) __shared__ __half as[BM * LDA];
    alignas(32) __shared__ __half bs[BK * LDB];
    const int warp = threadIdx.x / 32, wr = warp / WARPS_N * 32, wc = warp % WARPS_N * 32, row0 = blockIdx.y * BM, col0 = blockIdx.x * BN;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> acc[2][2];
#pragma unroll
    for (int i = 0; i < 4; ++i) wmma::fill_fragment(acc[i / 2][i % 2], 0.0f);
    uint4 pa[NA], pb[NB];
    const auto read = [&](int k0) {
#pragma unroll
        for (int i = 0; i < NA; ++i) {
            const int e = i * THREADS + threadIdx.x;
            pa[i] = *reinterpret_cast<const uint4*>(a + (size_t)(row0 + e / (BK / 8)) * K + k0 + e % (BK / 8) * 8);
        }
#pragma unroll
        for (int i = 0; i < NB; ++i) {
            const int e = i * THREADS + threadIdx.x;
            pb[i] = *reinterpret_cast<const uint4*>(b + (size_t)(k0 + e / (BN / 8)) * N + col0 + e % (BN / 8) * 8);
        }
    };
    read(0);
#pragma unroll 1
    for (int k0 = 0; k0 < K; k0 += BK) {
        __syncthreads();
#pragma unroll
        for (int i = 0; i < NA; ++i) {
            const int e = i * THREADS + threadIdx.x;
            *reinterpret_cast<uint4*>(as + e / (BK / 8) * LDA + e % (BK / 8) * 8) = pa[i];
        }
#pragma unroll
        for (int i = 0; i < NB; ++i) {
            const int e = i * THREADS + threadIdx.x;
            *reinterpret_cast<uint4*>(bs + e / (BN / 8) * LDB + e % (BN / 8) * 8) = pb[i];
        }
        __syncthreads();
        if (k0 + BK < K) read(k0 + BK);
#pragma unroll
        for (int k = 0; k < BK; k += 16) {
            wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> fa[2];
            wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::row_major> fb[2];
#pragma unroll
            for (int i = 0; i < 2; ++i) {
                wmma::load_matrix_sync(fa[i], as + (wr + i * 16) * LDA + k, LDA);
                wmma::load_matrix_sync(fb[i], bs + k * LDB + wc + i * 16, LDB);
            }
#pragma unroll
            for (int i = 0; i < 4; ++i) wmma::mma_sync(acc[i / 2][i % 2], fa[i / 2], fb[i % 2], acc[i / 2][i % 2]);
        }
    }
#pragma unroll
    for (int i = 0; i < 4; ++i)
        wmma::store_matrix_sync(c + (size_t)(row0 + wr + i / 2 * 16) * N + col0 + wc + i % 2 * 16, acc[i / 2][i % 2], N, wmma::mem_row_major);
}
