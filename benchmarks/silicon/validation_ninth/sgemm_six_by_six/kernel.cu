// C = A B for 1,152 x 1,152 results; a thread has three pairs of rows and three pairs of columns.
constexpr int THREADS = BM * BN / 36, TX = BN / 6, TY = BM / 6;

extern "C" __global__ void __launch_bounds__(THREADS)
sgemm_six_by_six(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c)
{
    __shared__ alignas(16) float as[BK][BM + 2], bs[BK][BN];
    const int tx = threadIdx.x % TX, ty = threadIdx.x / TX, row0 = blockIdx.y * BM, col0 = blockIdx.x * BN;
    float acc[6][6] = {};
#pragma unroll 1
    for (int k0 = 0; k0 < DEPTH; k0 += BK) {
        for (int i = threadIdx.x; i < BM * BK / 2; i += THREADS) {
            const int r = i / (BK / 2), k = i % (BK / 2) * 2;
            const float2 v = *reinterpret_cast<const float2*>(a + (row0 + r) * DEPTH + k0 + k);
            as[k][r] = v.x;
            as[k + 1][r] = v.y;
        }
        for (int i = threadIdx.x; i < BN * BK / 2; i += THREADS) {
            const int k = i / (BN / 2), n = i % (BN / 2) * 2;
            *reinterpret_cast<float2*>(&bs[k][n]) = *reinterpret_cast<const float2*>(b + (k0 + k) * 1152 + col0 + n);
        }
        __syncthreads();
#pragma unroll
        for (int k = 0; k < BK; ++k) {
            float2 f[3], g[3];
#pragma unroll
            for (int i = 0; i < 3; ++i) {
                f[i] = *reinterpret_cast<const float2*>(&as[k][2 * (ty + i * TY)]);
                g[i] = *reinterpret_cast<const float2*>(&bs[k][2 * (tx + i * TX)]);
            }
#pragma unroll
            for (int i = 0; i < 3; ++i)
#pragma unroll
                for (int j = 0; j < 3; ++j) {
                    acc[2 * i][2 * j] += f[i].x * g[j].x;
                    acc[2 * i][2 * j + 1] += f[i].x * g[j].y;
                    acc[2 * i + 1][2 * j] += f[i].y * g[j].x;
                    acc[2 * i + 1][2 * j + 1] += f[i].y * g[j].y;
                }
        }
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < 6; ++i)
#pragma unroll
        for (int j = 0; j < 3; ++j)
            *reinterpret_cast<float2*>(c + (row0 + 2 * (ty + i / 2 * TY) + i % 2) * 1152 + col0 + 2 * (tx + j * TX)) =
                make_float2(acc[i][2 * j], acc[i][2 * j + 1]);
}
