// One product of 64 x 64 matrices a block, the second one stored by rows or by columns.
#include <cuda_fp16.h>
#include <mma.h>

using namespace nvcuda;

constexpr int PER = 16 / WARPS, PITCH = STAGED ? 72 : 64;
#if B_COLUMNS
typedef wmma::col_major order;
#else
typedef wmma::row_major order;
#endif

extern "C" __global__ void __launch_bounds__(WARPS * 32)
wmma_batched_64(const __half* __restrict__ a, const __half* __restrict__ b, float* __restrict__ c)
{
    const size_t base = (size_t)blockIdx.x * 4096;
    const int t = threadIdx.x, warp = t / 32;
#if STAGED
    __shared__ __align__(16) __half pa[64 * PITCH], pb[64 * PITCH];
#pragma unroll
    for (int i = t; i < 512; i += WARPS * 32) {
        *(uint4*)(pa + i / 8 * PITCH + i % 8 * 8) = *(const uint4*)(a + base + i * 8);
        *(uint4*)(pb + i / 8 * PITCH + i % 8 * 8) = *(const uint4*)(b + base + i * 8);
    }
    __syncthreads();
#else
    const __half *pa = a + base, *pb = b + base;
#endif
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum[PER];
#pragma unroll
    for (int p = 0; p < PER; ++p) wmma::fill_fragment(sum[p], 0.0f);
#pragma unroll
    for (int k = 0; k < 4; ++k)
#pragma unroll
        for (int p = 0; p < PER; ++p) {
            const int tile = warp * PER + p, row = tile / 4, col = tile % 4;
            wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> fa;
            wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, order> fb;
            wmma::load_matrix_sync(fa, pa + row * 16 * PITCH + k * 16, PITCH);
            wmma::load_matrix_sync(fb, B_COLUMNS ? pb + col * 16 * PITCH + k * 16 : pb + k * 16 * PITCH + col * 16, PITCH);
            wmma::mma_sync(sum[p], fa, fb, sum[p]);
        }
#pragma unroll
    for (int p = 0; p < PER; ++p) {
        const int tile = warp * PER + p;
        wmma::store_matrix_sync(c + base + tile / 4 * 1024 + tile % 4 * 16, sum[p], 64, wmma::mem_row_major);
    }
}
