// C = A^T B in double precision; both matrices have the depth as rows, so nothing is transposed on the way.
constexpr int M = 1024, N = 1024, K = 512, BM = 64, TN = 4, TX = BN / TN, THREADS = BM / TM * TX;
struct alignas(VEC * 8) Pack { double d[VEC]; };

extern "C" __global__ void __launch_bounds__(THREADS)
dgemm_f64_tn_rows_of_depth(const double* __restrict__ a, const double* __restrict__ b, double* __restrict__ c)
{
    alignas(16) __shared__ double as[BK][BM];
    alignas(16) __shared__ double bs[BK][BN];
    const int t = threadIdx.x, tx = t % TX, ty = t / TX, row0 = blockIdx.y * BM, col0 = blockIdx.x * BN;
    double acc[TM][TN] = {};
#pragma unroll 1
    for (int k0 = 0; k0 < K; k0 += BK) {
#pragma unroll
        for (int i = t; i < BK * BM / VEC; i += THREADS) {
            const int k = i / (BM / VEC), r = i % (BM / VEC) * VEC;
            *reinterpret_cast<Pack*>(&as[k][r]) = *reinterpret_cast<const Pack*>(a + (k0 + k) * M + row0 + r);
        }
#pragma unroll
        for (int i = t; i < BK * BN / VEC; i += THREADS) {
            const int k = i / (BN / VEC), r = i % (BN / VEC) * VEC;
            *reinterpret_cast<Pack*>(&bs[k][r]) = *reinterpret_cast<const Pack*>(b + (k0 + k) * N + col0 + r);
        }
        __syncthreads();
#pragma unroll
        for (int k = 0; k < BK; ++k) {
            double fa[TM], fb[TN];
#pragma unroll
            for (int i = 0; i < TM; ++i) fa[i] = as[k][ty * TM + i];
#pragma unroll
            for (int j = 0; j < TN; ++j) fb[j] = bs[k][tx + j * TX];
#pragma unroll
            for (int i = 0; i < TM; ++i)
#pragma unroll
                for (int j = 0; j < TN; ++j) acc[i][j] = fma(fa[i], fb[j], acc[i][j]);
        }
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < TM; ++i)
#pragma unroll
        for (int j = 0; j < TN; ++j) c[(row0 + ty * TM + i) * N + col0 + tx + j * TX] = acc[i][j];
}
