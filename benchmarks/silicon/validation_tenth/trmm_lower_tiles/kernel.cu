// Matrices of 1,024 x 1,024; the upper half of l is taken for zeros and only read in tiles on the diagonal.
constexpr int THREADS = BM * 64 / (4 * TN), RIGHT = 64 / TN, LD = BM + 4;

extern "C" __global__ void __launch_bounds__(THREADS)
trmm_lower_tiles(const float* __restrict__ l, const float* __restrict__ b, float* __restrict__ c)
{
    alignas(16) __shared__ float ls[BK * LD], bs[BK * 64];
    const int row0 = (LONG_FIRST ? 1024 / BM - 1 - blockIdx.y : blockIdx.y) * BM, col0 = blockIdx.x * 64;
    const int tx = threadIdx.x % RIGHT, ty = threadIdx.x / RIGHT;
    float acc[4][TN] = {};
#pragma unroll 1
    for (int k0 = 0; k0 < row0 + BM; k0 += BK) {
#pragma unroll
        for (int p = threadIdx.x; p < BM * BK / 4; p += THREADS) {
            const int r = p / (BK / 4), k = p % (BK / 4) * 4;
            const float4 f = *reinterpret_cast<const float4*>(l + (row0 + r) * 1024 + k0 + k);
            const float v[4] = {f.x, f.y, f.z, f.w};
#pragma unroll
            for (int j = 0; j < 4; ++j) ls[(k + j) * LD + r] = k0 + k + j <= row0 + r ? v[j] : 0.0f;
        }
#pragma unroll
        for (int p = threadIdx.x; p < BK * 16; p += THREADS)
            *reinterpret_cast<float4*>(bs + p * 4) = *reinterpret_cast<const float4*>(b + (k0 + p / 16) * 1024 + col0 + p % 16 * 4);
        __syncthreads();
#pragma unroll
        for (int k = 0; k < BK; ++k) {
            const float4 u4 = *reinterpret_cast<const float4*>(ls + k * LD + ty * 4);
            const float u[4] = {u4.x, u4.y, u4.z, u4.w};
#pragma unroll
            for (int j = 0; j < TN; j += 4) {
                const float4 v = *reinterpret_cast<const float4*>(bs + k * 64 + j / 4 * (RIGHT * 4) + tx * 4);
#pragma unroll
                for (int i = 0; i < 4; ++i) {
                    acc[i][j] += u[i] * v.x;
                    acc[i][j + 1] += u[i] * v.y;
                    acc[i][j + 2] += u[i] * v.z;
                    acc[i][j + 3] += u[i] * v.w;
                }
            }
        }
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < 4; ++i)
#pragma unroll
        for (int j = 0; j < TN; j += 4)
            *reinterpret_cast<float4*>(c + (row0 + ty * 4 + i) * 1024 + col0 + j / 4 * (RIGHT * 4) + tx * 4) =
                make_float4(acc[i][j], acc[i][j + 1], acc[i][j + 2], acc[i][j + 3]);
}
