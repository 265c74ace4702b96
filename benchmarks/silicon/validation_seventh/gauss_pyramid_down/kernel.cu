// Half the size of a picture of 4,096 x 2,048 by 5 x 5 binomial weights; the picture has a border of two rows and four columns.
constexpr int PITCH = 4104, OUT = 2048, BX = 32, W = 2 * BX * EACH + 3, H = 2 * BLOCK_Y + 3, THREADS = BX * BLOCK_Y;

extern "C" __global__ void __launch_bounds__(THREADS)
gauss_pyramid_down(const float* __restrict__ x, float* __restrict__ y)
{
    constexpr float k[5] = {0.0625f, 0.25f, 0.375f, 0.25f, 0.0625f};
    const int tx = threadIdx.x % BX, ty = threadIdx.x / BX;
    const int ox = blockIdx.x * BX * EACH + tx, oy = blockIdx.y * BLOCK_Y + ty;
#if SEPARABLE
    __shared__ float rows[H][BX * EACH];
    for (int i = threadIdx.x; i < H * BX * EACH; i += THREADS) {
        const int r = i / (BX * EACH), c = i % (BX * EACH);
        const float* from = x + (size_t)(blockIdx.y * BLOCK_Y * 2 + r) * PITCH + (blockIdx.x * BX * EACH + c) * 2 + 2;
        float sum = 0.0f;
#pragma unroll
        for (int d = 0; d < 5; ++d) sum += k[d] * from[d];
        rows[r][c] = sum;
    }
    __syncthreads();
#pragma unroll
    for (int e = 0; e < EACH; ++e) {
        float sum = 0.0f;
#pragma unroll
        for (int d = 0; d < 5; ++d) sum += k[d] * rows[ty * 2 + d][tx + e * BX];
        y[(size_t)oy * OUT + ox + e * BX] = sum;
    }
#else
#pragma unroll
    for (int e = 0; e < EACH; ++e) {
        const float* from = x + (size_t)oy * 2 * PITCH + (ox + e * BX) * 2 + 2;
        float sum = 0.0f;
#pragma unroll
        for (int dy = 0; dy < 5; ++dy) {
            float line = 0.0f;
#pragma unroll
            for (int dx = 0; dx < 5; ++dx) line += k[dx] * from[dy * PITCH + dx];
            sum += k[dy] * line;
        }
        y[(size_t)oy * OUT + ox + e * BX] = sum;
    }
#endif
}
