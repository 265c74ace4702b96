// FP64 matrix product A B^T; a thread's rows and columns lie a strip apart, both operands stay as they are in shared memory.
constexpr int M = 768, N = 768, K = 512, TX = 16, TY = TILE / TM, TN = TILE / TX, THREADS = TX * TY, LD = BK + PAD;

extern "C" __global__ void __launch_bounds__(THREADS)
dgemm_f64_nt_strips(const double* __restrict__ a, const double* __restrict__ b, double* __restrict__ c)
{
    __shared__ double as[TILE][LD], bs[TILE][LD];
    const int tx = threadIdx.x % TX, ty = threadIdx.x / TX, row0 = blockIdx.y * TILE, col0 = blockIdx.x * TILE;
    double acc[TM][TN] = {};
#pragma unroll 1
    for (int k0 = 0; k0 < K; k0 += BK) {
#pragma unroll
        for (int i = threadIdx.x; i < TILE * BK; i += THREADS) {
            as[i / BK][i % BK] = a[(row0 + i / BK) * K + k0 + i % BK];
            bs[i / BK][i % BK] = b[(col0 + i / BK) * K + k0 + i % BK];
        }
        __syncthreads();
#pragma unroll
        for (int k = 0; k < BK; ++k) {
            double x[TM], y[TN];
#pragma unroll
            for (int i = 0; i < TM; ++i) x[i] = as[i * TY + ty][k];
#pragma unroll
            for (int j = 0; j < TN; ++j) y[j] = bs[j * TX + tx][k];
#pragma unroll
            for (int i = 0; i < TM; ++i)
#pragma unroll
                for (int j = 0; j < TN; ++j) acc[i][j] += x[i] * y[j];
        }
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < TM; ++i)
#pragma unroll
        for (int j = 0; j < TN; ++j) c[(row0 + i * TY + ty) * N + col0 + j * TX + tx] = acc[i][j];
}
