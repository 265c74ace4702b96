// Distances in the first norm of all pairs; tiles stay as they lie in memory.
constexpr int N = 2048, K = 128, BN = 64, TN = 4, TX = 16, TY = BM / TM, THREADS = TX * TY, LD = BK + PAD;

extern "C" __global__ void __launch_bounds__(THREADS)
l1_distance_tiles_f32(const float* __restrict__ x, const float* __restrict__ y, float* __restrict__ d)
{
    __shared__ float xs[BM][LD], ys[BN][LD];
    const int tx = threadIdx.x % TX, ty = threadIdx.x / TX, row0 = blockIdx.y * BM, col0 = blockIdx.x * BN;
    float acc[TM][TN] = {};
#pragma unroll 1
    for (int k0 = 0; k0 < K; k0 += BK) {
        for (int i = threadIdx.x; i < BM * BK; i += THREADS) xs[i / BK][i % BK] = x[(row0 + i / BK) * K + k0 + i % BK];
        for (int i = threadIdx.x; i < BN * BK; i += THREADS) ys[i / BK][i % BK] = y[(col0 + i / BK) * K + k0 + i % BK];
        __syncthreads();
#pragma unroll
        for (int k = 0; k < BK; ++k) {
            float a[TM], b[TN];
#pragma unroll
            for (int i = 0; i < TM; ++i) a[i] = xs[ty + i * TY][k];
#pragma unroll
            for (int j = 0; j < TN; ++j) b[j] = ys[tx + j * TX][k];
#pragma unroll
            for (int i = 0; i < TM; ++i)
#pragma unroll
                for (int j = 0; j < TN; ++j) acc[i][j] += fabsf(a[i] - b[j]);
        }
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < TM; ++i)
#pragma unroll
        for (int j = 0; j < TN; ++j) d[(row0 + ty + i * TY) * N + col0 + tx + j * TX] = acc[i][j];
}
