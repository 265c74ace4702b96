// C = A B^T in FP16; pairs of the depth are multiplied together, and sums go to FP32 after each tile or at the end.
#include <cuda_fp16.h>
constexpr int N = 1024, K = 1024, BM = 16 * TM, BN = 64, LD = BK + 1;

extern "C" __global__ void __launch_bounds__(256)
hgemm_half2_dot_nt(const __half2* __restrict__ a, const __half2* __restrict__ b, __half* __restrict__ c)
{
    __shared__ __half2 as[BM * LD], bs[BN * LD];
    const int tx = threadIdx.x % 16, ty = threadIdx.x / 16, row0 = blockIdx.y * BM, col0 = blockIdx.x * BN;
    float total[PROMOTE ? TM : 1][PROMOTE ? 4 : 1] = {};
    __half2 acc[TM][4];
#pragma unroll
    for (int i = 0; i < TM; ++i)
#pragma unroll
        for (int j = 0; j < 4; ++j) acc[i][j] = __float2half2_rn(0.0f);
#pragma unroll 1
    for (int k0 = 0; k0 < K / 2; k0 += BK) {
        for (int i = threadIdx.x; i < BM * BK; i += 256) as[i / BK * LD + i % BK] = a[(row0 + i / BK) * (K / 2) + k0 + i % BK];
        for (int i = threadIdx.x; i < BN * BK; i += 256) bs[i / BK * LD + i % BK] = b[(col0 + i / BK) * (K / 2) + k0 + i % BK];
        __syncthreads();
        constexpr int U = UNROLL;
#pragma unroll U
        for (int k = 0; k < BK; ++k) {
            __half2 x[TM], y[4];
#pragma unroll
            for (int i = 0; i < TM; ++i) x[i] = as[(ty + 16 * i) * LD + k];
#pragma unroll
            for (int j = 0; j < 4; ++j) y[j] = bs[(tx + 16 * j) * LD + k];
#pragma unroll
            for (int i = 0; i < TM; ++i)
#pragma unroll
                for (int j = 0; j < 4; ++j) acc[i][j] = __hfma2(x[i], y[j], acc[i][j]);
        }
        __syncthreads();
        if (PROMOTE)
#pragma unroll
            for (int i = 0; i < TM; ++i)
#pragma unroll
                for (int j = 0; j < 4; ++j) {
                    const float2 f = __half22float2(acc[i][j]);
                    total[PROMOTE ? i : 0][PROMOTE ? j : 0] += f.x + f.y;
                    acc[i][j] = __float2half2_rn(0.0f);
                }
    }
#pragma unroll
    for (int i = 0; i < TM; ++i)
#pragma unroll
        for (int j = 0; j < 4; ++j) {
            const float2 f = __half22float2(acc[i][j]);
            c[(row0 + ty + 16 * i) * N + col0 + tx + 16 * j] =
                __float2half(PROMOTE ? total[PROMOTE ? i : 0][PROMOTE ? j : 0] : f.x + f.y);
        }
}
