// 16 heads of 512 positions; a warp has 16 queries. The first pass finds maxima and sums, the second the weighted values.
#include <cuda_fp16.h>
#include <mma.h>
using namespace nvcuda;
constexpr int SEQ = 512, LINE = DIM + PAD, LS = TK + PAD;

extern "C" __global__ void __launch_bounds__(32 * WARPS)
attention_wmma_scores(const __half* __restrict__ q, const __half* __restrict__ k, const __half* __restrict__ v,
                      float* __restrict__ out, float scale)
{
    __shared__ __align__(32) __half tile[TK * LINE], ps[WARPS][16 * LS];
    __shared__ __align__(32) float ss[WARPS][16 * LS];
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, row = lane / 2, side = lane % 2;
    const size_t head = (size_t)blockIdx.y * SEQ * DIM;
    const size_t mine = head + (size_t)(blockIdx.x * WARPS + warp) * 16 * DIM;
    wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> fq[DIM / 16];
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> acc[DIM / 16];
#pragma unroll
    for (int d = 0; d < DIM / 16; ++d) {
        wmma::load_matrix_sync(fq[d], q + mine + d * 16, DIM);
        wmma::fill_fragment(acc[d], 0.0f);
    }
    auto fill = [&](const __half* from, int t) {
        __syncthreads();
        for (int i = threadIdx.x; i < TK * DIM / 8; i += 32 * WARPS)
            *reinterpret_cast<uint4*>(tile + i / (DIM / 8) * LINE + i % (DIM / 8) * 8) =
                *reinterpret_cast<const uint4*>(from + head + (size_t)t * DIM + i * 8);
        __syncthreads();
    };
    auto scores = [&] {
#pragma unroll
        for (int n = 0; n < TK / 16; ++n) {
            wmma::fragment<wmma::accumulator, 16, 16, 16, float> s;
            wmma::fill_fragment(s, 0.0f);
#pragma unroll
            for (int d = 0; d < DIM / 16; ++d) {
                wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::col_major> fk;
                wmma::load_matrix_sync(fk, tile + n * 16 * LINE + d * 16, LINE);
                wmma::mma_sync(s, fq[d], fk, s);
            }
            wmma::store_matrix_sync(ss[warp] + n * 16, s, LS, wmma::mem_row_major);
        }
        __syncwarp();
    };
    float m = -1.0e30f, l = 0.0f;
#pragma unroll 1
    for (int t = 0; t < SEQ; t += TK) {
        fill(k, t);
        scores();
        float top = m;
#pragma unroll 8
        for (int j = 0; j < TK / 2; ++j) top = fmaxf(top, ss[warp][row * LS + j * 2 + side] * scale);
        l *= __expf(m - top);
        m = top;
#pragma unroll 8
        for (int j = 0; j < TK / 2; ++j) l += __expf(ss[warp][row * LS + j * 2 + side] * scale - m);
    }
    const float om = __shfl_xor_sync(~0u, m, 1), ol = __shfl_xor_sync(~0u, l, 1), both = fmaxf(m, om);
    const float inverse = 1.0f / (l * __expf(m - both) + ol * __expf(om - both));
#pragma unroll 1
    for (int t = 0; t < SEQ; t += TK) {
        fill(k, t);
        scores();
#pragma unroll 8
        for (int j = 0; j < TK / 2; ++j)
            ps[warp][row * LS + j * 2 + side] = __float2half(__expf(ss[warp][row * LS + j * 2 + side] * scale - both) * inverse);
        fill(v, t);
#pragma unroll
        for (int n = 0; n < TK / 16; ++n) {
            wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> fp;
            wmma::load_matrix_sync(fp, ps[warp] + n * 16, LS);
#pragma unroll
            for (int d = 0; d < DIM / 16; ++d) {
                wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::row_major> fv;
                wmma::load_matrix_sync(fv, tile + n * 16 * LINE + d * 16, LINE);
                wmma::mma_sync(acc[d], fp, fv, acc[d]);
            }
        }
    }
#pragma unroll
    for (int d = 0; d < DIM / 16; ++d) wmma::store_matrix_sync(out + mine + d * 16, acc[d], DIM, wmma::mem_row_major);
}
