// 2,048 x 4,096 numbers. LAYOUT: 0 plain, 1 a padded column, 2 columns exclusive-or rows.
constexpr int H = 2048, W = 4096;

extern "C" __global__ void __launch_bounds__(32 * ROWS)
transpose_xor_swizzle(const float* __restrict__ x, float* __restrict__ y)
{
    __shared__ float s[32][LAYOUT == 1 ? 33 : 32];
    const int r0 = blockIdx.y * 32, lane = threadIdx.x;
#pragma unroll 1
    for (int t = 0; t < TILES; ++t) {
        const int c0 = (blockIdx.x * TILES + t) * 32;
#pragma unroll
        for (int r = threadIdx.y; r < 32; r += ROWS) s[r][LAYOUT == 2 ? lane ^ r : lane] = x[(r0 + r) * W + c0 + lane];
        __syncthreads();
#pragma unroll
        for (int c = threadIdx.y; c < 32; c += ROWS) y[(c0 + c) * H + r0 + lane] = s[lane][LAYOUT == 2 ? c ^ lane : c];
        __syncthreads();
    }
}
