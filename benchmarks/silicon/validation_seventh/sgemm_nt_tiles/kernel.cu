// C = A B^T, 1,024 x 1,024 x 512, both matrices by rows; square tiles, micro tiles of MICRO x MICRO.
constexpr int K = 512, N = 1024, TX = BM / MICRO, THREADS = TX * TX;
struct alignas(VEC * 4) Pack { float v[VEC]; };

extern "C" __global__ void __launch_bounds__(THREADS)
sgemm_nt_tiles(const Pack* __restrict__ a, const Pack* __restrict__ b, float* __restrict__ c)
{
    __shared__ __align__(16) float as[BK][BM + 4], bs[BK][BM + 4];
    const int tx = threadIdx.x % TX, ty = threadIdx.x / TX;
    float acc[MICRO][MICRO] = {};
#pragma unroll 1
    for (int k0 = 0; k0 < K; k0 += BK) {
#pragma unroll
        for (int i = threadIdx.x; i < BM * BK / VEC; i += THREADS) {
            const int r = i / (BK / VEC), k = i % (BK / VEC) * VEC;
            const Pack p = a[((blockIdx.y * BM + r) * K + k0 + k) / VEC], q = b[((blockIdx.x * BM + r) * K + k0 + k) / VEC];
#pragma unroll
            for (int j = 0; j < VEC; ++j) {
                as[k + j][r] = p.v[j];
                bs[k + j][r] = q.v[j];
            }
        }
        __syncthreads();
#pragma unroll
        for (int k = 0; k < BK; ++k) {
            float x[MICRO], y[MICRO];
#pragma unroll
            for (int m = 0; m < MICRO; m += 4) {
                *reinterpret_cast<float4*>(x + m) = *reinterpret_cast<const float4*>(&as[k][ty * MICRO + m]);
                *reinterpret_cast<float4*>(y + m) = *reinterpret_cast<const float4*>(&bs[k][tx * MICRO + m]);
            }
#pragma unroll
            for (int m = 0; m < MICRO; ++m)
#pragma unroll
                for (int n = 0; n < MICRO; ++n) acc[m][n] += x[m] * y[n];
        }
        __syncthreads();
    }
#pragma unroll
    for (int m = 0; m < MICRO; ++m)
#pragma unroll
        for (int n = 0; n < MICRO; n += 4)
            *reinterpret_cast<float4*>(c + (blockIdx.y * BM + ty * MICRO + m) * N + blockIdx.x * BM + tx * MICRO + n) =
                make_float4(acc[m][n], acc[m][n + 1], acc[m][n + 2], acc[m][n + 3]);
}
