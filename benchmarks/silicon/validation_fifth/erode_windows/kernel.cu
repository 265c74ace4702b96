// Least byte of a window around every pixel of a 2,048 x 1,024 image; beyond the border there is 255.
constexpr int W = 2048, H = 1024, TW = 32 + 2 * RADIUS, TH = BLOCK_Y + 2 * RADIUS, SIZE = 2 * RADIUS + 1;

extern "C" __global__ void __launch_bounds__(32 * BLOCK_Y)
erode_windows(const unsigned char* __restrict__ image, unsigned char* __restrict__ out)
{
    __shared__ unsigned char tile[TH][TW + 4];
    const int tx = threadIdx.x, ty = threadIdx.y, t = ty * 32 + tx, x0 = blockIdx.x * 32, y0 = blockIdx.y * BLOCK_Y;
    for (int i = t; i < TW * TH; i += 32 * BLOCK_Y) {
        const int x = x0 + i % TW - RADIUS, y = y0 + i / TW - RADIUS;
        tile[i / TW][i % TW] = x >= 0 && x < W && y >= 0 && y < H ? image[y * W + x] : 255;
    }
    __syncthreads();
    unsigned least = 255;
#if SEPARABLE
    __shared__ unsigned char rows[TH][32];
    for (int r = ty; r < TH; r += BLOCK_Y) {
        unsigned m = 255;
#pragma unroll
        for (int j = 0; j < SIZE; ++j) m = min(m, (unsigned)tile[r][tx + j]);
        rows[r][tx] = m;
    }
    __syncthreads();
#pragma unroll
    for (int i = 0; i < SIZE; ++i) least = min(least, (unsigned)rows[ty + i][tx]);
#else
#pragma unroll
    for (int i = 0; i < SIZE; ++i)
#pragma unroll
        for (int j = 0; j < SIZE; ++j) least = min(least, (unsigned)tile[ty + i][tx + j]);
#endif
    out[(y0 + ty) * W + x0 + tx] = least;
}
