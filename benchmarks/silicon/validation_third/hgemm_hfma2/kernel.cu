// FP16 matrix product by packed half arithmetic, no tensor cores: TM x TN results a thread, pairs along a row. A is
// transposed on its way to shared memory.
#include <cuda_fp16.h>

constexpr int N = 1024, TX = BN / TN, TY = BM / TM, THREADS = TX * TY;

extern "C" __global__ void __launch_bounds__(THREADS)
hgemm_hfma2(const half* __restrict__ a, const half* __restrict__ b, half* __restrict__ c)
{
    __shared__ __align__(16) half sa[BK][BM + 8];
    __shared__ __align__(16) half sb[BK][BN];
    const int t = threadIdx.x, tx = t % TX, ty = t / TX;
    const int m0 = blockIdx.y * BM, n0 = blockIdx.x * BN;
    half2 acc[TM][TN / 2];
#pragma unroll
    for (int i = 0; i < TM; ++i)
#pragma unroll
        for (int j = 0; j < TN / 2; ++j) acc[i][j] = __float2half2_rn(0.0f);

    for (int k0 = 0; k0 < N; k0 += BK) {
        for (int i = t; i < BM * BK / 4; i += THREADS) {
            const int r = i / (BK / 4), k = i % (BK / 4) * 4;
            const uint2 raw = *reinterpret_cast<const uint2*>(a + (m0 + r) * N + k0 + k);
            const half2 lo = *reinterpret_cast<const half2*>(&raw.x), hi = *reinterpret_cast<const half2*>(&raw.y);
            sa[k][r] = __low2half(lo);
            sa[k + 1][r] = __high2half(lo);
            sa[k + 2][r] = __low2half(hi);
            sa[k + 3][r] = __high2half(hi);
        }
        for (int i = t; i < BK * BN / 8; i += THREADS) {
            const int k = i / (BN / 8), n = i % (BN / 8) * 8;
            *reinterpret_cast<uint4*>(&sb[k][n]) = *reinterpret_cast<const uint4*>(b + (k0 + k) * N + n0 + n);
        }
        __syncthreads();
#pragma unroll
        for (int k = 0; k < BK; ++k) {
            half2 rb[TN / 2];
#pragma unroll
            for (int j = 0; j < TN / 2; ++j) rb[j] = *reinterpret_cast<const half2*>(&sb[k][tx * TN + 2 * j]);
#pragma unroll
            for (int i = 0; i < TM; ++i) {
                const half2 ra = __half2half2(sa[k][ty * TM + i]);
#pragma unroll
                for (int j = 0; j < TN / 2; ++j) acc[i][j] = __hfma2(ra, rb[j], acc[i][j]);
            }
        }
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < TM; ++i)
#pragma unroll
        for (int j = 0; j < TN / 2; ++j)
            *reinterpret_cast<half2*>(c + (m0 + ty * TM + i) * N + n0 + tx * TN + 2 * j) = acc[i][j];
}
