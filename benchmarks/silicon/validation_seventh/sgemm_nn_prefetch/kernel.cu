// C = A B, 1,024 x 1,024 x 512, 128 threads; the next tile waits in registers, one or two tiles in shared memory.
constexpr int K = 512, N = 1024, BN = 64, TM = 8, TN = BM / 16, TX = BN / TN;
constexpr int A4 = BM * BK / 512, B4 = BN * BK / 512;

extern "C" __global__ void __launch_bounds__(128)
sgemm_nn_prefetch(const float4* __restrict__ a, const float4* __restrict__ b, float* __restrict__ c)
{
    __shared__ __align__(16) float as[BUFFERS][BK][BM + 4], bs[BUFFERS][BK][BN];
    const int tx = threadIdx.x % TX, ty = threadIdx.x / TX;
    float acc[TM][TN] = {};
    float4 pa[A4], pb[B4];

    auto fetch = [&](int k0) {
#pragma unroll
        for (int i = 0; i < A4; ++i) {
            const int e = threadIdx.x + i * 128, r = e / (BK / 4), k = e % (BK / 4);
            pa[i] = a[(blockIdx.y * BM + r) * (K / 4) + k0 / 4 + k];
        }
#pragma unroll
        for (int i = 0; i < B4; ++i) {
            const int e = threadIdx.x + i * 128, k = e / (BN / 4), n = e % (BN / 4);
            pb[i] = b[(k0 + k) * (N / 4) + blockIdx.x * (BN / 4) + n];
        }
    };
    auto stash = [&](int buffer) {
#pragma unroll
        for (int i = 0; i < A4; ++i) {
            const int e = threadIdx.x + i * 128, r = e / (BK / 4), k = e % (BK / 4) * 4;
            as[buffer][k][r] = pa[i].x;
            as[buffer][k + 1][r] = pa[i].y;
            as[buffer][k + 2][r] = pa[i].z;
            as[buffer][k + 3][r] = pa[i].w;
        }
#pragma unroll
        for (int i = 0; i < B4; ++i) {
            const int e = threadIdx.x + i * 128, k = e / (BN / 4), n = e % (BN / 4) * 4;
            *reinterpret_cast<float4*>(&bs[buffer][k][n]) = pb[i];
        }
    };

    fetch(0);
    stash(0);
    __syncthreads();
#pragma unroll 1
    for (int t = 0; t < K / BK; ++t) {
        const int now = BUFFERS == 2 ? t & 1 : 0;
        if (t + 1 < K / BK) fetch((t + 1) * BK);
#pragma unroll UNROLL
        for (int k = 0; k < BK; ++k) {
            float x[TM], y[TN];
#pragma unroll
            for (int m = 0; m < TM; m += 4)
                *reinterpret_cast<float4*>(x + m) = *reinterpret_cast<const float4*>(&as[now][k][ty * TM + m]);
#pragma unroll
            for (int n = 0; n < TN; n += 4)
                *reinterpret_cast<float4*>(y + n) = *reinterpret_cast<const float4*>(&bs[now][k][tx * TN + n]);
#pragma unroll
            for (int m = 0; m < TM; ++m)
#pragma unroll
                for (int n = 0; n < TN; ++n) acc[m][n] += x[m] * y[n];
        }
#if BUFFERS == 1
        __syncthreads();
#endif
        if (t + 1 < K / BK) stash(BUFFERS == 2 ? now ^ 1 : 0);
        __syncthreads();
    }
#pragma unroll
    for (int m = 0; m < TM; ++m)
#pragma unroll
        for (int n = 0; n < TN; n += 4)
            *reinterpret_cast<float4*>(c + (blockIdx.y * BM + ty * TM + m) * N + blockIdx.x * BN + tx * TN + n) =
                make_float4(acc[m][n], acc[m][n + 1], acc[m][n + 2], acc[m][n + 3]);
}
