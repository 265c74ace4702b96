#include <cuda_fp16.h>
#include <mma.h>
using namespace nvcuda;
// C = A B, 2,048 x 2,048 x 1,024 in FP16; four warps, each BM / 2 x 32 of a block's BM x 64; sums in FP16 or FP32.
constexpr int K = 1024, N = 2048, BN = 64, MT = BM / 32;
#if ACC16
typedef half Acc;
#else
typedef float Acc;
#endif

extern "C" __global__ void __launch_bounds__(128)
wmma_half_accumulators(const uint4* __restrict__ a, const uint4* __restrict__ b, Acc* __restrict__ c)
{
    __shared__ __align__(32) half as[BM][BK + PAD], bs[BK][BN + PAD];
    const int warp = threadIdx.x / 32, wm = warp / 2 * (BM / 2), wn = warp % 2 * 32;
    wmma::fragment<wmma::accumulator, 16, 16, 16, Acc> acc[MT][2];
#pragma unroll
    for (int m = 0; m < MT; ++m)
#pragma unroll
        for (int n = 0; n < 2; ++n) wmma::fill_fragment(acc[m][n], (Acc)0.0f);
#pragma unroll 1
    for (int k0 = 0; k0 < K; k0 += BK) {
#pragma unroll
        for (int i = threadIdx.x; i < BM * BK / 8; i += 128) {
            const int r = i / (BK / 8), k = i % (BK / 8);
            *reinterpret_cast<uint4*>(&as[r][k * 8]) = a[(blockIdx.y * BM + r) * (K / 8) + k0 / 8 + k];
        }
#pragma unroll
        for (int i = threadIdx.x; i < BK * BN / 8; i += 128) {
            const int k = i / (BN / 8), n = i % (BN / 8);
            *reinterpret_cast<uint4*>(&bs[k][n * 8]) = b[(k0 + k) * (N / 8) + blockIdx.x * (BN / 8) + n];
        }
        __syncthreads();
#pragma unroll
        for (int k = 0; k < BK; k += 16) {
            wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> fb[2];
#pragma unroll
            for (int n = 0; n < 2; ++n) wmma::load_matrix_sync(fb[n], &bs[k][wn + n * 16], BN + PAD);
#pragma unroll
            for (int m = 0; m < MT; ++m) {
                wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fa;
                wmma::load_matrix_sync(fa, &as[wm + m * 16][k], BK + PAD);
#pragma unroll
                for (int n = 0; n < 2; ++n) wmma::mma_sync(acc[m][n], fa, fb[n], acc[m][n]);
            }
        }
        __syncthreads();
    }
#pragma unroll
    for (int m = 0; m < MT; ++m)
#pragma unroll
        for (int n = 0; n < 2; ++n)
            wmma::store_matrix_sync(c + (size_t)(blockIdx.y * BM + wm + m * 16) * N + blockIdx.x * BN + wn + n * 16,
                                    acc[m][n], N, wmma::mem_row_major);
}
