// C = A A^T below the diagonal for 1,024 rows of 256 numbers; 4 x 4 results a thread.
constexpr int N = 1024, K = 256, TILES = N / TILE, SIDE = TILE / 4, THREADS = SIDE * SIDE;

extern "C" __global__ void __launch_bounds__(THREADS)
syrk_lower_tiles(const float* __restrict__ a, float* __restrict__ c)
{
    __shared__ float si[BK][TILE + 1], sj[BK][TILE + 1];
    int bi, bj;
    if (TRIANGLE) {
        bi = (int)((sqrtf(8.0f * blockIdx.x + 1.0f) - 1.0f) * 0.5f);
        if ((bi + 1) * (bi + 2) / 2 <= blockIdx.x) ++bi;
        if (bi * (bi + 1) / 2 > blockIdx.x) --bi;
        bj = blockIdx.x - bi * (bi + 1) / 2;
    } else {
        bi = blockIdx.x / TILES;
        bj = blockIdx.x % TILES;
        if (bj > bi) return;
    }
    const int t = threadIdx.x, tx = t % SIDE, ty = t / SIDE;
    float sum[4][4] = {};
    for (int k0 = 0; k0 < K; k0 += BK) {
#pragma unroll
        for (int i = t; i < TILE * BK; i += THREADS) {
            const int row = i / BK, kk = i % BK;
            si[kk][row] = a[(bi * TILE + row) * K + k0 + kk];
            sj[kk][row] = a[(bj * TILE + row) * K + k0 + kk];
        }
        __syncthreads();
#pragma unroll
        for (int kk = 0; kk < BK; ++kk) {
            float x[4], y[4];
#pragma unroll
            for (int q = 0; q < 4; ++q) {
                x[q] = si[kk][ty + q * SIDE];
                y[q] = sj[kk][tx + q * SIDE];
            }
#pragma unroll
            for (int p = 0; p < 4; ++p)
#pragma unroll
                for (int q = 0; q < 4; ++q) sum[p][q] += x[p] * y[q];
        }
        __syncthreads();
    }
#pragma unroll
    for (int p = 0; p < 4; ++p)
#pragma unroll
        for (int q = 0; q < 4; ++q) {
            const int row = bi * TILE + ty + p * SIDE, col = bj * TILE + tx + q * SIDE;
            if (row >= col) c[row * N + col] = sum[p][q];
        }
}
