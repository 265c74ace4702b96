// C = alpha A B + beta C with M = 2048, N = 1024, K = 512. A warp computes 32 x (8 TN), a thread 8 x TN.
constexpr int M = 2048, N = 1024, K = 512;
constexpr int NUM_THREADS = BM * BN / (8 * TN);
constexpr int WARPS_N = BN / (8 * TN);

extern "C" __global__ void __launch_bounds__(NUM_THREADS)
sgemm_warptile(const float* __restrict__ A, const float* __restrict__ B, float* __restrict__ C, float alpha, float beta)
{
    __shared__ float As[BK * BM];
    __shared__ float Bs[BK * BN];
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const int thread_row = warp / WARPS_N * 32 + lane / 8 * 8;
    const int thread_col = (warp % WARPS_N) * 8 * TN + lane % 8 * TN;
    A += blockIdx.y * BM * K;
    B += blockIdx.x * BN;
    C += blockIdx.y * BM * N + blockIdx.x * BN;

    float results[8 * TN] = {0.0f}, reg_m[8], reg_n[TN];
    for (int bk0 = 0; bk0 < K; bk0 += BK) {
        for (int i = threadIdx.x; i < BM * BK / 4; i += NUM_THREADS) {
            const int row = i / (BK / 4), col = i % (BK / 4) * 4;
            const float4 t = *reinterpret_cast<const float4*>(&A[row * K + col]);
            As[(col + 0) * BM + row] = t.x;
            As[(col + 1) * BM + row] = t.y;
            As[(col + 2) * BM + row] = t.z;
            As[(col + 3) * BM + row] = t.w;
        }
        for (int i = threadIdx.x; i < BK * BN / 4; i += NUM_THREADS) {
            const int row = i / (BN / 4), col = i % (BN / 4) * 4;
            *reinterpret_cast<float4*>(&Bs[row * BN + col]) = *reinterpret_cast<const float4*>(&B[row * N + col]);
        }
        __syncthreads();
        A += BK;
        B += BK * N;
        for (int dot = 0; dot < BK; ++dot) {
            for (int i = 0; i < 8; ++i) reg_m[i] = As[dot * BM + thread_row + i];
            for (int i = 0; i < TN; ++i) reg_n[i] = Bs[dot * BN + thread_col + i];
            for (int m = 0; m < 8; ++m)
                for (int n = 0; n < TN; ++n) results[m * TN + n] += reg_m[m] * reg_n[n];
        }
        __syncthreads();
    }
    for (int m = 0; m < 8; ++m)
        for (int n = 0; n < TN; n += 4) {
            float4* at = reinterpret_cast<float4*>(&C[(thread_row + m) * N + thread_col + n]);
            float4 t = *at;
            t.x = alpha * results[m * TN + n] + beta * t.x;
            t.y = alpha * results[m * TN + n + 1] + beta * t.y;
            t.z = alpha * results[m * TN + n + 2] + beta * t.z;
            t.w = alpha * results[m * TN + n + 3] + beta * t.w;
            *at = t;
        }
}
