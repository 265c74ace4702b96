// All matrices of 512 x 512; (BM / 16) x (BN / 16) results a thread, 16 apart.
constexpr int TM = BM / 16, TN = BN / 16;

extern "C" __global__ void __launch_bounds__(256)
cgemm_interleaved_f32(const float2* __restrict__ a, const float2* __restrict__ b, float2* __restrict__ c)
{
    alignas(16) __shared__ float2 as[BK * (BM + 1)], bs[BK * (BN + 1)];
    float *ap = reinterpret_cast<float*>(as), *bp = reinterpret_cast<float*>(bs);
    constexpr int PA = BK * (BM + 1), PB = BK * (BN + 1);
    const int tx = threadIdx.x % 16, ty = threadIdx.x / 16, row0 = blockIdx.y * BM, col0 = blockIdx.x * BN;
    float re[TM][TN] = {}, im[TM][TN] = {};
#pragma unroll 1
    for (int k0 = 0; k0 < 512; k0 += BK) {
#pragma unroll
        for (int p = threadIdx.x; p < BM * BK; p += 256) {
            const float2 f = a[(row0 + p / BK) * 512 + k0 + p % BK];
            const int to = p % BK * (BM + 1) + p / BK;
            if (APART) ap[to] = f.x, ap[PA + to] = f.y;
            else as[to] = f;
        }
#pragma unroll
        for (int p = threadIdx.x; p < BN * BK; p += 256) {
            const float2 f = b[(k0 + p / BN) * 512 + col0 + p % BN];
            const int to = p / BN * (BN + 1) + p % BN;
            if (APART) bp[to] = f.x, bp[PB + to] = f.y;
            else bs[to] = f;
        }
        __syncthreads();
#pragma unroll
        for (int k = 0; k < BK; ++k) {
            float2 u[TM], v[TN];
#pragma unroll
            for (int i = 0; i < TM; ++i) {
                const int at = k * (BM + 1) + ty + i * 16;
                u[i] = APART ? make_float2(ap[at], ap[PA + at]) : as[at];
            }
#pragma unroll
            for (int j = 0; j < TN; ++j) {
                const int at = k * (BN + 1) + tx + j * 16;
                v[j] = APART ? make_float2(bp[at], bp[PB + at]) : bs[at];
            }
#pragma unroll
            for (int i = 0; i < TM; ++i)
#pragma unroll
                for (int j = 0; j < TN; ++j) {
                    re[i][j] += u[i].x * v[j].x;
                    re[i][j] -= u[i].y * v[j].y;
                    im[i][j] += u[i].x * v[j].y;
                    im[i][j] += u[i].y * v[j].x;
                }
        }
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < TM; ++i)
#pragma unroll
        for (int j = 0; j < TN; ++j) c[(row0 + ty + i * 16) * 512 + col0 + tx + j * 16] = make_float2(re[i][j], im[i][j]);
}
