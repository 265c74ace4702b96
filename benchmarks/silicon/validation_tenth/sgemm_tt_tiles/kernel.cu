// C[m][n] = sum of A[k][m] B[n][k], all of 1,024; 8 x 4 results a thread.
constexpr int THREADS = BM * 2, LA = BM, LB = 64 + PAD;

extern "C" __global__ void __launch_bounds__(THREADS)
sgemm_tt_tiles(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c)
{
    alignas(16) __shared__ float as[BK * LA], bs[BK * LB];
    const int up = 1024 / BM, my = BY_ROWS ? blockIdx.x / 16 : blockIdx.x % up, mx = BY_ROWS ? blockIdx.x % 16 : blockIdx.x / up;
    const int row0 = my * BM, col0 = mx * 64, tx = threadIdx.x % 16, ty = threadIdx.x / 16;
    float acc[8][4] = {};
#pragma unroll 1
    for (int k0 = 0; k0 < 1024; k0 += BK) {
#pragma unroll
        for (int p = threadIdx.x; p < BK * BM / 4; p += THREADS)
            *reinterpret_cast<float4*>(as + p / (BM / 4) * LA + p % (BM / 4) * 4) =
                *reinterpret_cast<const float4*>(a + (k0 + p / (BM / 4)) * 1024 + row0 + p % (BM / 4) * 4);
#pragma unroll
        for (int p = threadIdx.x; p < BK * 16; p += THREADS) {
            const int n = p / (BK / 4), k = p % (BK / 4) * 4;
            const float4 f = *reinterpret_cast<const float4*>(b + (col0 + n) * 1024 + k0 + k);
            bs[k * LB + n] = f.x;
            bs[(k + 1) * LB + n] = f.y;
            bs[(k + 2) * LB + n] = f.z;
            bs[(k + 3) * LB + n] = f.w;
        }
        __syncthreads();
#pragma unroll
        for (int k = 0; k < BK; ++k) {
            const float4 v = *reinterpret_cast<const float4*>(bs + k * LB + tx * 4);
            const float4 u0 = *reinterpret_cast<const float4*>(as + k * LA + ty * 8), u1 = *reinterpret_cast<const float4*>(as + k * LA + ty * 8 + 4);
            const float u[8] = {u0.x, u0.y, u0.z, u0.w, u1.x, u1.y, u1.z, u1.w};
#pragma unroll
            for (int i = 0; i < 8; ++i) {
                acc[i][0] += u[i] * v.x;
                acc[i][1] += u[i] * v.y;
                acc[i][2] += u[i] * v.z;
                acc[i][3] += u[i] * v.w;
            }
        }
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < 8; ++i)
        *reinterpret_cast<float4*>(c + (row0 + ty * 8 + i) * 1024 + col0 + tx * 4) = make_float4(acc[i][0], acc[i][1], acc[i][2], acc[i][3]);
}
