// C[m][n] = sum over k of A[k][m] B[k][n]; rows of A come by uniform loads of four numbers.
constexpr int M = 512, N = 1024, K = 512;
struct alignas(TN * 4) Pack { float f[TN]; };

extern "C" __global__ void __launch_bounds__(WARPS * 32)
sgemm_tn_warp_broadcast_rows(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c)
{
    constexpr int U = UNROLL;
    const int lane = threadIdx.x % 32, row0 = (blockIdx.y * WARPS + threadIdx.x / 32) * TM, col = (blockIdx.x * 32 + lane) * TN;
    float acc[TM][TN] = {};
#pragma unroll U
    for (int k = 0; k < K; ++k) {
        float fa[TM];
#pragma unroll
        for (int i = 0; i < TM; i += 4) *reinterpret_cast<float4*>(fa + i) = *reinterpret_cast<const float4*>(a + k * M + row0 + i);
        const Pack fb = *reinterpret_cast<const Pack*>(b + k * N + col);
#pragma unroll
        for (int i = 0; i < TM; ++i)
#pragma unroll
            for (int j = 0; j < TN; ++j) acc[i][j] += fa[i] * fb.f[j];
    }
#pragma unroll
    for (int i = 0; i < TM; ++i) {
        Pack p;
#pragma unroll
        for (int j = 0; j < TN; ++j) p.f[j] = acc[i][j];
        *reinterpret_cast<Pack*>(c + (row0 + i) * N + col) = p;
    }
}
