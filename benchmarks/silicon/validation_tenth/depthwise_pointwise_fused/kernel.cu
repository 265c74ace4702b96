// Planes of 130 x 130 with borders to 64 planes of 128 x 128; a block has eight pixels of a row of all planes.
constexpr int PXS = 8, CS = CHANNELS, GROUPS = 64 / KT;
constexpr int SLOTS = THREADS / GROUPS, PARTS = SLOTS / PXS;

extern "C" __global__ void __launch_bounds__(THREADS)
depthwise_pointwise_fused(const float* __restrict__ x, const float* __restrict__ dw, const float* __restrict__ pw,
                          float* __restrict__ y)
{
    __shared__ float deep[CS * PXS], ws[STAGED ? 64 * 33 : 1], sums[PARTS][64 * PXS];
    const int x0 = blockIdx.x * PXS, row = blockIdx.y;
    for (int i = threadIdx.x; i < CS * PXS; i += THREADS) {
        const int c = i / PXS, px = i % PXS;
        const float* from = x + (c * 130 + row) * 130 + x0 + px;
        float sum = 0.0f;
#pragma unroll
        for (int t = 0; t < 9; ++t) sum += from[t / 3 * 130 + t % 3] * dw[c * 9 + t];
        deep[i] = fmaxf(sum, 0.0f);
    }
    const int px = threadIdx.x % PXS, group = threadIdx.x / PXS % GROUPS, part = threadIdx.x / (PXS * GROUPS);
    float acc[KT] = {};
#pragma unroll 1
    for (int c0 = 0; c0 < CS; c0 += 32) {
        __syncthreads();
        if (STAGED) {
            for (int i = threadIdx.x; i < 64 * 32; i += THREADS) ws[i / 32 * 33 + i % 32] = pw[i / 32 * CS + c0 + i % 32];
            __syncthreads();
        }
#pragma unroll
        for (int c = 0; c < 32 / PARTS; ++c) {
            const int own = part * (32 / PARTS) + c;
            const float f = deep[(c0 + own) * PXS + px];
#pragma unroll
            for (int j = 0; j < KT; ++j) {
                const int o = group * KT + j;
                acc[j] += f * (STAGED ? ws[o * 33 + own] : pw[o * CS + c0 + own]);
            }
        }
    }
#pragma unroll
    for (int j = 0; j < KT; ++j) sums[part][(group * KT + j) * PXS + px] = acc[j];
    __syncthreads();
    for (int i = threadIdx.x; i < 64 * PXS; i += THREADS) {
        float f = 0.0f;
#pragma unroll
        for (int p = 0; p < PARTS; ++p) f += sums[p][i];
        y[(i / PXS * 128 + row) * 128 + x0 + i % PXS] = f;
    }
}
