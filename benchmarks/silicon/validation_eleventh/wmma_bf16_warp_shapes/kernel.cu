// bf16 product of row-major matrices by wmma, tiles of 128 x 128 that are read asynchronously STAGES deep.
#include <cuda_bf16.h>
#include <mma.h>
using namespace nvcuda;
constexpr int M = 2048, N = 2048, K = 1024, WARPS_N = 128 / WN, THREADS = 128 / WM * WARPS_N * 32;
constexpr int LDA = BK + 8, LDB = 128 + 8, FM = WM / 16, FN = WN / 16, STAGE = 128 * LDA + BK * LDB;

__device__ __forceinline__ void cp_async16(void* to, const void* from)
{
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" :: "r"((unsigned)__cvta_generic_to_shared(to)), "l"(from) : "memory");
}

__device__ __forceinline__ void cp_async_commit()
{
    asm volatile("cp.async.commit_group;" ::: "memory");
}

template <int N>
__device__ __forceinline__ void cp_async_wait()
{
    asm volatile("cp.async.wait_group %0;" :: "n"(N) : "memory");
}

extern "C" __global__ void __launch_bounds__(THREADS)
wmma_bf16_warp_shapes(const __nv_bfloat16* __restrict__ a, const __nv_bfloat16* __restrict__ b, float* __restrict__ c)
{
    extern __shared__ __align__(128) __nv_bfloat16 smem[];
    const int warp = threadIdx.x / 32, wy = warp / WARPS_N * WM, wx = warp % WARPS_N * WN;
    const int row0 = blockIdx.y * 128, col0 = blockIdx.x * 128;
    auto fetch = [&](int tile) {
        __nv_bfloat16 *as = smem + tile % STAGES * STAGE, *bs = as + 128 * LDA;
        for (int i = threadIdx.x; i < 128 * BK / 8; i += THREADS)
            cp_async16(as + i / (BK / 8) * LDA + i % (BK / 8) * 8, a + (size_t)(row0 + i / (BK / 8)) * K + tile * BK + i % (BK / 8) * 8);
        for (int i = threadIdx.x; i < BK * 16; i += THREADS)
            cp_async16(bs + i / 16 * LDB + i % 16 * 8, b + (size_t)(tile * BK + i / 16) * N + col0 + i % 16 * 8);
    };
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> acc[FM][FN];
#pragma unroll
    for (int i = 0; i < FM; ++i)
#pragma unroll
        for (int j = 0; j < FN; ++j) wmma::fill_fragment(acc[i][j], 0.0f);
#pragma unroll
    for (int s = 0; s < STAGES - 1; ++s) {
        fetch(s);
        cp_async_commit();
    }
#pragma unroll 1
    for (int tile = 0; tile < K / BK; ++tile) {
        cp_async_wait<STAGES - 2>();
        __syncthreads();
        if (tile + STAGES - 1 < K / BK) fetch(tile + STAGES - 1);
        cp_async_commit();
        const __nv_bfloat16 *as = smem + tile % STAGES * STAGE, *bs = as + 128 * LDA;
#pragma unroll
        for (int k = 0; k < BK; k += 16) {
            wmma::fragment<wmma::matrix_a, 16, 16, 16, __nv_bfloat16, wmma::row_major> fa[FM];
            wmma::fragment<wmma::matrix_b, 16, 16, 16, __nv_bfloat16, wmma::row_major> fb[FN];
#pragma unroll
            for (int i = 0; i < FM; ++i) wmma::load_matrix_sync(fa[i], as + (wy + i * 16) * LDA + k, LDA);
#pragma unroll
            for (int j = 0; j < FN; ++j) wmma::load_matrix_sync(fb[j], bs + k * LDB + wx + j * 16, LDB);
#pragma unroll
            for (int i = 0; i < FM; ++i)
#pragma unroll
                for (int j = 0; j < FN; ++j) wmma::mma_sync(acc[i][j], fa[i], fb[j], acc[i][j]);
        }
    }
#pragma unroll
    for (int i = 0; i < FM; ++i)
#pragma unroll
        for (int j = 0; j < FN; ++j)
            wmma::store_matrix_sync(c + (size_t)(row0 + wy + i * 16) * N + col0 + wx + j * 16, acc[i][j], N, wmma::mem_row_major);
}
