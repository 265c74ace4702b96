// C = A B^T by wmma; fragments come straight from global memory or from tiles of 32 columns of the depth.
#include <mma.h>
#include <cuda_bf16.h>
using namespace nvcuda;
constexpr int N = 1024, K = 1024, BK = 32, BM = BY * WM * 16, BN = WN * 32, THREADS = BY * 64, LD = BK + 8;

extern "C" __global__ void __launch_bounds__(THREADS)
wmma_bf16_nt_direct(const __nv_bfloat16* __restrict__ a, const __nv_bfloat16* __restrict__ b, float* __restrict__ c)
{
    alignas(32) __shared__ __nv_bfloat16 as[STAGED ? BM * LD : 16];
    alignas(32) __shared__ __nv_bfloat16 bs[STAGED ? BN * LD : 16];
    const int warp = threadIdx.x / 32, wx = warp % 2, wy = warp / 2, row0 = blockIdx.y * BM, col0 = blockIdx.x * BN;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> acc[WM][WN];
#pragma unroll
    for (int i = 0; i < WM; ++i)
#pragma unroll
        for (int j = 0; j < WN; ++j) wmma::fill_fragment(acc[i][j], 0.0f);
#pragma unroll 1
    for (int k0 = 0; k0 < K; k0 += BK) {
        if (STAGED) {
            for (int i = threadIdx.x; i < BM * BK / 8; i += THREADS)
                *reinterpret_cast<uint4*>(as + i / (BK / 8) * LD + i % (BK / 8) * 8) = *reinterpret_cast<const uint4*>(a + (row0 + i / (BK / 8)) * K + k0 + i % (BK / 8) * 8);
            for (int i = threadIdx.x; i < BN * BK / 8; i += THREADS)
                *reinterpret_cast<uint4*>(bs + i / (BK / 8) * LD + i % (BK / 8) * 8) = *reinterpret_cast<const uint4*>(b + (col0 + i / (BK / 8)) * K + k0 + i % (BK / 8) * 8);
            __syncthreads();
        }
#pragma unroll
        for (int k = 0; k < BK; k += 16) {
            wmma::fragment<wmma::matrix_a, 16, 16, 16, __nv_bfloat16, wmma::row_major> fa[WM];
            wmma::fragment<wmma::matrix_b, 16, 16, 16, __nv_bfloat16, wmma::col_major> fb;
#pragma unroll
            for (int i = 0; i < WM; ++i) {
                const int r = (wy * WM + i) * 16;
                if (STAGED) wmma::load_matrix_sync(fa[i], as + r * LD + k, LD);
                else wmma::load_matrix_sync(fa[i], a + (row0 + r) * K + k0 + k, K);
            }
#pragma unroll
            for (int j = 0; j < WN; ++j) {
                const int r = (wx * WN + j) * 16;
                if (STAGED) wmma::load_matrix_sync(fb, bs + r * LD + k, LD);
                else wmma::load_matrix_sync(fb, b + (col0 + r) * K + k0 + k, K);
#pragma unroll
                for (int i = 0; i < WM; ++i) wmma::mma_sync(acc[i][j], fa[i], fb, acc[i][j]);
            }
        }
        if (STAGED) __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < WM; ++i)
#pragma unroll
        for (int j = 0; j < WN; ++j)
            wmma::store_matrix_sync(c + (row0 + (wy * WM + i) * 16) * N + col0 + (wx * WN + j) * 16, acc[i][j], N, wmma::mem_row_major);
}
