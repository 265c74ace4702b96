// C = A B^T in FP32; both tiles stay as they lie in memory, and a thread reads four steps of the depth of each row at once.
constexpr int N = 1024, K = 1024, BN = 64, TN = 4, TX = 16, TY = BM / TM, THREADS = TX * TY, LD = BK + PAD;

extern "C" __global__ void __launch_bounds__(THREADS)
sgemm_nt_depth_vectors(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c)
{
    alignas(16) __shared__ float as[BM][LD];
    alignas(16) __shared__ float bs[BN][LD];
    const int tx = threadIdx.x % TX, ty = threadIdx.x / TX, row0 = blockIdx.y * BM, col0 = blockIdx.x * BN;
    float acc[TM][TN] = {};
#pragma unroll 1
    for (int k0 = 0; k0 < K; k0 += BK) {
        for (int i = threadIdx.x; i < BM * BK / 4; i += THREADS)
            *reinterpret_cast<float4*>(&as[i / (BK / 4)][i % (BK / 4) * 4]) = *reinterpret_cast<const float4*>(a + (row0 + i / (BK / 4)) * K + k0 + i % (BK / 4) * 4);
        for (int i = threadIdx.x; i < BN * BK / 4; i += THREADS)
            *reinterpret_cast<float4*>(&bs[i / (BK / 4)][i % (BK / 4) * 4]) = *reinterpret_cast<const float4*>(b + (col0 + i / (BK / 4)) * K + k0 + i % (BK / 4) * 4);
        __syncthreads();
#pragma unroll
        for (int k = 0; k < BK; k += 4) {
            float4 x[TM], y[TN];
#pragma unroll
            for (int i = 0; i < TM; ++i) x[i] = *reinterpret_cast<const float4*>(&as[ty + i * TY][k]);
#pragma unroll
            for (int j = 0; j < TN; ++j) y[j] = *reinterpret_cast<const float4*>(&bs[tx + j * TX][k]);
#pragma unroll
            for (int i = 0; i < TM; ++i)
#pragma unroll
                for (int j = 0; j < TN; ++j)
                    acc[i][j] = fmaf(x[i].w, y[j].w, fmaf(x[i].z, y[j].z, fmaf(x[i].y, y[j].y, fmaf(x[i].x, y[j].x, acc[i][j]))));
        }
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < TM; ++i)
#pragma unroll
        for (int j = 0; j < TN; ++j) c[(row0 + ty + i * TY) * N + col0 + tx + j * TX] = acc[i][j];
}
