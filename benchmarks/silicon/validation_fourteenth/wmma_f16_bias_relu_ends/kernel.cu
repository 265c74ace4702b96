// Eight warps, four down and two across; the layer's end goes through shared memory or fragments alone.
#include <mma.h>
#include <cuda_fp16.h>
using namespace nvcuda;
constexpr int M = 2048, N = 1024, K = 1024, THREADS = 256, LD = BK + 8, FM = BM / 64, FN = BN / 32;

extern "C" __global__ void __launch_bounds__(THREADS)
wmma_f16_bias_relu_ends(const __half* __restrict__ a, const __half* __restrict__ b, const __half* __restrict__ bias, __half* __restrict__ c)
{
    alignas(32) __shared__ __half as[BM * LD];
    alignas(32) __shared__ __half bs[BN * LD];
    alignas(32) __shared__ float ends[AT_START ? 16 * BN : 8 * 256];
    const int t = threadIdx.x, lane = t % 32, warp = t / 32, row0 = blockIdx.y * BM, col0 = blockIdx.x * BN;
    const int m0 = warp / 2 * (BM / 4), n0 = warp % 2 * (BN / 2);
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> acc[FM][FN];
    if (AT_START) {
        for (int i = t; i < 16 * BN; i += THREADS) ends[i] = __half2float(bias[col0 + i % BN]);
        __syncthreads();
#pragma unroll
        for (int j = 0; j < FN; ++j)
#pragma unroll
            for (int i = 0; i < FM; ++i) wmma::load_matrix_sync(acc[i][j], ends + n0 + j * 16, BN, wmma::mem_row_major);
    } else {
#pragma unroll
        for (int i = 0; i < FM; ++i)
#pragma unroll
            for (int j = 0; j < FN; ++j) wmma::fill_fragment(acc[i][j], 0.0f);
    }
#pragma unroll 1
    for (int k0 = 0; k0 < K; k0 += BK) {
#pragma unroll
        for (int i = t; i < BM * BK / 8; i += THREADS)
            *reinterpret_cast<uint4*>(as + i / (BK / 8) * LD + i % (BK / 8) * 8) = *reinterpret_cast<const uint4*>(a + (size_t)(row0 + i / (BK / 8)) * K + k0 + i % (BK / 8) * 8);
#pragma unroll
        for (int i = t; i < BN * BK / 8; i += THREADS)
            *reinterpret_cast<uint4*>(bs + i / (BK / 8) * LD + i % (BK / 8) * 8) = *reinterpret_cast<const uint4*>(b + (size_t)(col0 + i / (BK / 8)) * K + k0 + i % (BK / 8) * 8);
        __syncthreads();
#pragma unroll
        for (int k = 0; k < BK; k += 16) {
            wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> fa[FM];
#pragma unroll
            for (int i = 0; i < FM; ++i) wmma::load_matrix_sync(fa[i], as + (m0 + i * 16) * LD + k, LD);
#pragma unroll
            for (int j = 0; j < FN; ++j) {
                wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::col_major> fb;
                wmma::load_matrix_sync(fb, bs + (n0 + j * 16) * LD + k, LD);
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
            __half* to = c + (size_t)(row0 + m0 + i * 16) * N + col0 + n0 + j * 16;
            if (AT_START) {
                wmma::fragment<wmma::accumulator, 16, 16, 16, __half> out;
#pragma unroll
                for (int e = 0; e < out.num_elements; ++e) out.x[e] = __float2half(fmaxf(acc[i][j].x[e], 0.0f));
                wmma::store_matrix_sync(to, out, N, wmma::mem_row_major);
            } else {
                float* mine = ends + warp * 256;
                wmma::store_matrix_sync(mine, acc[i][j], 16, wmma::mem_row_major);
                __syncwarp();
                const int r = lane / 2, k = lane % 2 * 8;
                __half2 o[4];
#pragma unroll
                for (int e = 0; e < 4; ++e) {
                    const float2 f = *reinterpret_cast<const float2*>(mine + r * 16 + k + 2 * e);
                    const float2 g = __half22float2(*reinterpret_cast<const __half2*>(bias + col0 + n0 + j * 16 + k + 2 * e));
                    o[e] = __floats2half2_rn(fmaxf(f.x + g.x, 0.0f), fmaxf(f.y + g.y, 0.0f));
                }
                *reinterpret_cast<uint4*>(to + (size_t)r * N + k) = *reinterpret_cast<uint4*>(o);
                __syncwarp();
            }
        }
}
