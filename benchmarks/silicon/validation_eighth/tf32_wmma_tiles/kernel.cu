// C = A B of 1,024 x 1,024 x 1,024 by rows; tiles of BM x 64, four warps of two by two, TF32 fragments.
#include <mma.h>
using namespace nvcuda;
constexpr int K = 1024, N = 1024, MT = BM / 32, LA = BK + PAD, LB = 64 + PAD;

extern "C" __global__ void __launch_bounds__(128)
tf32_wmma_tiles(const float4* __restrict__ a, const float4* __restrict__ b, float* __restrict__ c)
{
    __shared__ __align__(32) float as[BM * LA], bs[BK * LB];
    const int warp = threadIdx.x / 32, wm = warp / 2 * (BM / 2), wn = warp % 2 * 32;
    wmma::fragment<wmma::accumulator, 16, 16, 8, float> acc[MT][2];
#pragma unroll
    for (int m = 0; m < MT; ++m)
#pragma unroll
        for (int n = 0; n < 2; ++n) wmma::fill_fragment(acc[m][n], 0.0f);
#pragma unroll 1
    for (int k0 = 0; k0 < K; k0 += BK) {
#pragma unroll
        for (int i = threadIdx.x; i < BM * BK / 4; i += 128) {
            const int r = i / (BK / 4), q = i % (BK / 4);
            *reinterpret_cast<float4*>(as + r * LA + q * 4) = a[(blockIdx.y * BM + r) * (K / 4) + k0 / 4 + q];
        }
#pragma unroll
        for (int i = threadIdx.x; i < BK * 16; i += 128)
            *reinterpret_cast<float4*>(bs + i / 16 * LB + i % 16 * 4) = b[(k0 + i / 16) * (N / 4) + blockIdx.x * 16 + i % 16];
        __syncthreads();
#pragma unroll
        for (int k = 0; k < BK; k += 8) {
            wmma::fragment<wmma::matrix_a, 16, 16, 8, wmma::precision::tf32, wmma::row_major> fa[MT];
            wmma::fragment<wmma::matrix_b, 16, 16, 8, wmma::precision::tf32, wmma::row_major> fb[2];
#pragma unroll
            for (int m = 0; m < MT; ++m) {
                wmma::load_matrix_sync(fa[m], as + (wm + m * 16) * LA + k, LA);
                if (ROUNDED)
#pragma unroll
                    for (int t = 0; t < fa[m].num_elements; ++t) fa[m].x[t] = wmma::__float_to_tf32(fa[m].x[t]);
            }
#pragma unroll
            for (int n = 0; n < 2; ++n) {
                wmma::load_matrix_sync(fb[n], bs + k * LB + wn + n * 16, LB);
                if (ROUNDED)
#pragma unroll
                    for (int t = 0; t < fb[n].num_elements; ++t) fb[n].x[t] = wmma::__float_to_tf32(fb[n].x[t]);
            }
#pragma unroll
            for (int m = 0; m < MT; ++m)
#pragma unroll
                for (int n = 0; n < 2; ++n) wmma::mma_sync(acc[m][n], fa[m], fb[n], acc[m][n]);
        }
        __syncthreads();
    }
#pragma unroll
    for (int m = 0; m < MT; ++m)
#pragma unroll
        for (int n = 0; n < 2; ++n)
            wmma::store_matrix_sync(c + (blockIdx.y * BM + wm + m * 16) * N + blockIdx.x * 64 + wn + n * 16, acc[m][n], N,
                                    wmma::mem_row_major);
}
