// Comparisons of a pixel with its neighbours in windows of 5 x 5 or 9 x 7; borders repeat.
#if WIDE
typedef unsigned long long Bits;
#else
typedef unsigned Bits;
#endif

constexpr int W = 1280, H = 1024, RX = WIDE ? 4 : 2, RY = WIDE ? 3 : 2, ROWS = BLOCK_Y * ROWS_EACH, TW = 32 + 2 * RX, TH = ROWS + 2 * RY;

extern "C" __global__ void __launch_bounds__(32 * BLOCK_Y)
census_transform(const unsigned char* __restrict__ image, Bits* __restrict__ out)
{
    const int tx = threadIdx.x, ty = threadIdx.y, x0 = blockIdx.x * 32, y0 = blockIdx.y * ROWS;
    auto pixel = [&](int x, int y) -> int { return image[min(max(y, 0), H - 1) * W + min(max(x, 0), W - 1)]; };
#if IN_SHARED
    __shared__ unsigned char tile[TH][TW];
    for (int i = ty * 32 + tx; i < TW * TH; i += 32 * BLOCK_Y) tile[i / TW][i % TW] = pixel(x0 + i % TW - RX, y0 + i / TW - RY);
    __syncthreads();
    auto get = [&](int row, int dx) -> int { return tile[row + RY][tx + RX + dx]; };
#else
    auto get = [&](int row, int dx) -> int { return pixel(x0 + tx + dx, y0 + row); };
#endif
#pragma unroll
    for (int r = 0; r < ROWS_EACH; ++r) {
        const int row = r * BLOCK_Y + ty, centre = get(row, 0);
        Bits bits = 0;
#pragma unroll
        for (int dy = -RY; dy <= RY; ++dy)
#pragma unroll
            for (int dx = -RX; dx <= RX; ++dx)
                if (dx || dy) bits = bits << 1 | (get(row + dy, dx) < centre ? 1 : 0);
        out[(y0 + row) * W + x0 + tx] = bits;
    }
}
