// A step of Perona and Malik's diffusion with four neighbours; pixels beyond the border repeat it.
constexpr int SIDE = 2048, TILE_Y = BLOCK_Y * ROWS_EACH;

extern "C" __global__ void __launch_bounds__(32 * BLOCK_Y)
perona_malik(const float* __restrict__ image, float* __restrict__ out, float k)
{
    const int tx = threadIdx.x, ty = threadIdx.y, x0 = blockIdx.x * 32, y0 = blockIdx.y * TILE_Y;
    auto pixel = [&](int x, int y) { return image[min(max(y, 0), SIDE - 1) * SIDE + min(max(x, 0), SIDE - 1)]; };
#if IN_SHARED
    __shared__ float tile[TILE_Y + 2][34];
    for (int i = ty * 32 + tx; i < (TILE_Y + 2) * 34; i += 32 * BLOCK_Y) tile[i / 34][i % 34] = pixel(x0 + i % 34 - 1, y0 + i / 34 - 1);
    __syncthreads();
    auto get = [&](int dx, int row) { return tile[row + 1][tx + 1 + dx]; };
#else
    auto get = [&](int dx, int row) { return pixel(x0 + tx + dx, y0 + row); };
#endif
    const float factor = 1.0f / (k * k);
    auto flow = [&](float d) { return RATIONAL ? d / (1.0f + d * d * factor) : d * __expf(-d * d * factor); };
#pragma unroll
    for (int r = 0; r < ROWS_EACH; ++r) {
        const int row = ROWS_EACH * ty + r;
        const float c = get(0, row);
        const float sum = flow(get(-1, row) - c) + flow(get(1, row) - c) + flow(get(0, row - 1) - c) + flow(get(0, row + 1) - c);
        out[(y0 + row) * SIDE + x0 + tx] = c + 0.2f * sum;
    }
}
