// C (2,048 x 2,048) = A (2,048 x 1,024) B^T; a warp has 32 x 32 results.
#include <mma.h>
using namespace nvcuda;
constexpr int THREADS = BM * BN / 32, PANELS = BK / 16, RIGHT = BN / 32;

extern "C" __global__ void __launch_bounds__(THREADS)
wmma_s8_panel_tiles(const signed char* __restrict__ a, const signed char* __restrict__ b, int* __restrict__ c)
{
    alignas(128) __shared__ signed char as[PANELS * BM * LD], bs[PANELS * BN * LD];
    const int warp = threadIdx.x / 32, wy = warp / RIGHT * 32, wx = warp % RIGHT * 32, row0 = blockIdx.y * BM, col0 = blockIdx.x * BN;
    wmma::fragment<wmma::accumulator, 16, 16, 16, int> acc[2][2];
#pragma unroll
    for (int i = 0; i < 4; ++i) wmma::fill_fragment(acc[i / 2][i % 2], 0);
#pragma unroll 1
    for (int k0 = 0; k0 < 1024; k0 += BK) {
        for (int p = threadIdx.x; p < PANELS * BM; p += THREADS)
            *reinterpret_cast<uint4*>(as + (p % PANELS * BM + p / PANELS) * LD) =
                *reinterpret_cast<const uint4*>(a + (row0 + p / PANELS) * 1024 + k0 + p % PANELS * 16);
        for (int p = threadIdx.x; p < PANELS * BN; p += THREADS)
            *reinterpret_cast<uint4*>(bs + (p % PANELS * BN + p / PANELS) * LD) =
                *reinterpret_cast<const uint4*>(b + (col0 + p / PANELS) * 1024 + k0 + p % PANELS * 16);
        __syncthreads();
#pragma unroll
        for (int k = 0; k < PANELS; ++k) {
            wmma::fragment<wmma::matrix_a, 16, 16, 16, signed char, wmma::row_major> fa[2];
            wmma::fragment<wmma::matrix_b, 16, 16, 16, signed char, wmma::col_major> fb[2];
#pragma unroll
            for (int i = 0; i < 2; ++i) {
                wmma::load_matrix_sync(fa[i], as + (k * BM + wy + i * 16) * LD, LD);
                wmma::load_matrix_sync(fb[i], bs + (k * BN + wx + i * 16) * LD, LD);
            }
#pragma unroll
            for (int i = 0; i < 4; ++i) wmma::mma_sync(acc[i / 2][i % 2], fa[i / 2], fb[i % 2], acc[i / 2][i % 2]);
        }
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < 4; ++i)
        wmma::store_matrix_sync(c + (row0 + wy + i / 2 * 16) * 2048 + col0 + wx + i % 2 * 16, acc[i / 2][i % 2], 2048, wmma::mem_row_major);
}
