// FP32 matrix product, work split by Stream-K: every block gets an equal stretch of all tiles' steps along the depth.
// Tiles that a block does not make alone are added up by atomics.
constexpr int K = 768, BN = 64, BK = 16, STEPS = K / BK, TM = BM / 16, TN = BN / 16;

extern "C" __global__ void __launch_bounds__(256)
streamk_sgemm(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c, int n)
{
    __shared__ __align__(16) float sa[BK][BM + 4], sb[BK][BN];
    const int t = threadIdx.x, tx = t % 16, ty = t / 16, tiles_n = n / BN, total = n / BM * tiles_n * STEPS;
    int step = (int)((long long)total * blockIdx.x / gridDim.x);
    const int end = (int)((long long)total * (blockIdx.x + 1) / gridDim.x);
    while (step < end) {
        const int tile = step / STEPS, first = step % STEPS, last = min(STEPS, first + end - step);
        const int m0 = tile / tiles_n * BM, n0 = tile % tiles_n * BN;
        float acc[TM][TN] = {};
        for (int s = first; s < last; ++s) {
#pragma unroll
            for (int i = t; i < BM * BK / 4; i += 256) {
                const int r = i / (BK / 4), k = i % (BK / 4) * 4;
                const float4 v = *reinterpret_cast<const float4*>(a + (size_t)(m0 + r) * K + s * BK + k);
                sa[k][r] = v.x;
                sa[k + 1][r] = v.y;
                sa[k + 2][r] = v.z;
                sa[k + 3][r] = v.w;
            }
#pragma unroll
            for (int i = t; i < BN * BK / 4; i += 256)
                *reinterpret_cast<float4*>(&sb[i / (BN / 4)][i % (BN / 4) * 4]) = *reinterpret_cast<const float4*>(
                    b + (size_t)(s * BK + i / (BN / 4)) * n + n0 + i % (BN / 4) * 4);
            __syncthreads();
#pragma unroll
            for (int k = 0; k < BK; ++k) {
                float fa[TM], fb[TN];
#pragma unroll
                for (int i = 0; i < TM; i += 4) *reinterpret_cast<float4*>(fa + i) =
                    *reinterpret_cast<const float4*>(&sa[k][ty * TM + i]);
                *reinterpret_cast<float4*>(fb) = *reinterpret_cast<const float4*>(&sb[k][tx * TN]);
#pragma unroll
                for (int i = 0; i < TM; ++i)
#pragma unroll
                    for (int j = 0; j < TN; ++j) acc[i][j] += fa[i] * fb[j];
            }
            __syncthreads();
        }
        const bool whole = first == 0 && last == STEPS;
#pragma unroll
        for (int i = 0; i < TM; ++i) {
            float* to = c + (size_t)(m0 + ty * TM + i) * n + n0 + tx * TN;
            if (whole)
                *reinterpret_cast<float4*>(to) = make_float4(acc[i][0], acc[i][1], acc[i][2], acc[i][3]);
            else
#pragma unroll
                for (int j = 0; j < TN; ++j) atomicAdd(to + j, acc[i][j]);
        }
        step += last - first;
    }
}
