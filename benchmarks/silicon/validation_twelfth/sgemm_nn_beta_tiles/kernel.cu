// C = 1.5 A B + 0.5 C in FP32, A transposed on its way to shared memory; TM rows and eight columns a thread, the columns in two pieces.
constexpr int M = 1024, N = 1024, K = 1024, TN = 8, THREADS = BM * BN / (TM * TN), TX = BN / TN;

extern "C" __global__ void __launch_bounds__(THREADS)
sgemm_nn_beta_tiles(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c)
{
    alignas(16) __shared__ float as[BK][BM + 4];
    alignas(16) __shared__ float bs[BK][BN];
    const int tx = threadIdx.x % TX, ty = threadIdx.x / TX, row0 = blockIdx.y * BM, col0 = blockIdx.x * BN;
    float acc[TM][TN] = {};
#pragma unroll 1
    for (int k0 = 0; k0 < K; k0 += BK) {
#pragma unroll
        for (int i = threadIdx.x; i < BM * BK / 4; i += THREADS) {
            const int r = i / (BK / 4), k = i % (BK / 4) * 4;
            const float4 p = *reinterpret_cast<const float4*>(a + (row0 + r) * K + k0 + k);
            as[k][r] = p.x;
            as[k + 1][r] = p.y;
            as[k + 2][r] = p.z;
            as[k + 3][r] = p.w;
        }
#pragma unroll
        for (int i = threadIdx.x; i < BK * BN / 4; i += THREADS)
            *reinterpret_cast<float4*>(&bs[i / (BN / 4)][i % (BN / 4) * 4]) =
                *reinterpret_cast<const float4*>(b + (k0 + i / (BN / 4)) * N + col0 + i % (BN / 4) * 4);
        __syncthreads();
#pragma unroll
        for (int k = 0; k < BK; ++k) {
            float x[TM], y[TN];
#pragma unroll
            for (int i = 0; i < TM; i += 4) *reinterpret_cast<float4*>(x + i) = *reinterpret_cast<const float4*>(&as[k][ty * TM + i]);
#pragma unroll
            for (int j = 0; j < 2; ++j) *reinterpret_cast<float4*>(y + 4 * j) = *reinterpret_cast<const float4*>(&bs[k][j * (BN / 2) + tx * 4]);
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
        for (int j = 0; j < 2; ++j) {
            float4* to = reinterpret_cast<float4*>(c + (row0 + ty * TM + i) * N + col0 + j * (BN / 2) + tx * 4);
            float4 p = *to;
            p.x = 1.5f * acc[i][4 * j] + 0.5f * p.x;
            p.y = 1.5f * acc[i][4 * j + 1] + 0.5f * p.y;
            p.z = 1.5f * acc[i][4 * j + 2] + 0.5f * p.z;
            p.w = 1.5f * acc[i][4 * j + 3] + 0.5f * p.w;
            *to = p;
        }
}
