// Tiles of A go through shared memory; each thread reads its columns of B from global memory where it needs them.
constexpr int M = 2048, N = 1024, K = 1024, BM = 16 * TM, BN = 16 * TN, LOADS = BM * BK / 4 / 256;

extern "C" __global__ void __launch_bounds__(256)
sgemm_b_from_global(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c)
{
    __shared__ float as[BK][BM + 4];
    const int tx = threadIdx.x % 16, ty = threadIdx.x / 16, row0 = blockIdx.y * BM, col = blockIdx.x * BN + tx * 4;
    float acc[TM][TN] = {};
    const float* bp = b + col;
#pragma unroll 1
    for (int k0 = 0; k0 < K; k0 += BK) {
        for (int i = threadIdx.x; i < BM * BK / 4; i += 256) {
            const int r = i / (BK / 4), q = i % (BK / 4) * 4;
            const float4 v = *reinterpret_cast<const float4*>(a + (size_t)(row0 + r) * K + k0 + q);
            as[q][r] = v.x;
            as[q + 1][r] = v.y;
            as[q + 2][r] = v.z;
            as[q + 3][r] = v.w;
        }
        __syncthreads();
        constexpr int U = UNROLL;
#pragma unroll U
        for (int k = 0; k < BK; ++k) {
            float x[TM], y[TN];
#pragma unroll
            for (int j = 0; j < TN; j += 4) {
                const float4 v = __ldg(reinterpret_cast<const float4*>(bp + (size_t)(k0 + k) * N + j * 16));
                y[j] = v.x;
                y[j + 1] = v.y;
                y[j + 2] = v.z;
                y[j + 3] = v.w;
            }
#pragma unroll
            for (int i = 0; i < TM; i += 4) {
                const float4 v = *reinterpret_cast<const float4*>(&as[k][ty * TM + i]);
                x[i] = v.x;
                x[i + 1] = v.y;
                x[i + 2] = v.z;
                x[i + 3] = v.w;
            }
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
        for (int j = 0; j < TN; j += 4)
            *reinterpret_cast<float4*>(c + (size_t)(row0 + ty * TM + i) * N + col + j * 16) =
                make_float4(acc[i][j], acc[i][j + 1], acc[i][j + 2], acc[i][j + 3]);
}
