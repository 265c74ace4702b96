// Colours from a Bayer pattern of 16-bit numbers, 2 x 2 pixels a thread, by bilinear or Malvar's gradient-corrected
// interpolation, from memory or through a tile in shared memory.
constexpr int W = 2048, H = 1536, TW = 2 * BLOCK_X + 4, TH = 2 * BLOCK_Y + 4;

extern "C" __global__ void demosaic_bayer(const unsigned short* __restrict__ raw, ushort4* __restrict__ out)
{
    const int x0 = blockIdx.x * BLOCK_X * 2, y0 = blockIdx.y * BLOCK_Y * 2;
#if IN_SHARED
    __shared__ unsigned short tile[TH][TW];
    for (int i = threadIdx.y * BLOCK_X + threadIdx.x; i < TH * TW; i += BLOCK_X * BLOCK_Y) {
        const int y = min(max(y0 + i / TW - 2, 0), H - 1), x = min(max(x0 + i % TW - 2, 0), W - 1);
        tile[i / TW][i % TW] = raw[y * W + x];
    }
    __syncthreads();
    auto at = [&](int y, int x) { return (int)tile[y - y0 + 2][x - x0 + 2]; };
#else
    auto at = [&](int y, int x) { return (int)raw[min(max(y, 0), H - 1) * W + min(max(x, 0), W - 1)]; };
#endif
#pragma unroll
    for (int p = 0; p < 4; ++p) {
        const int px = p % 2, py = p / 2, x = x0 + 2 * threadIdx.x + px, y = y0 + 2 * threadIdx.y + py;
        const int c = at(y, x), n = at(y - 1, x), s = at(y + 1, x), w = at(y, x - 1), e = at(y, x + 1);
        const int diagonal = at(y - 1, x - 1) + at(y - 1, x + 1) + at(y + 1, x - 1) + at(y + 1, x + 1);
        int r, g, b;
#if MALVAR
        const int far_v = at(y - 2, x) + at(y + 2, x), far_h = at(y, x - 2) + at(y, x + 2);
        if (px == py) {
            g = (2 * (n + s + w + e) + 4 * c - far_v - far_h) / 8;
            const int other = (12 * c + 4 * diagonal - 3 * (far_v + far_h)) / 16;
            r = px == 0 ? c : other;
            b = px == 0 ? other : c;
        } else {
            g = c;
            const int across = (10 * c + 8 * (w + e) - 2 * diagonal + far_v - 2 * far_h) / 16;
            const int along = (10 * c + 8 * (n + s) - 2 * diagonal + far_h - 2 * far_v) / 16;
            r = py == 0 ? across : along;
            b = py == 0 ? along : across;
        }
#else
        if (px == py) {
            g = (n + s + w + e) / 4;
            r = px == 0 ? c : diagonal / 4;
            b = px == 0 ? diagonal / 4 : c;
        } else {
            g = c;
            r = py == 0 ? (w + e) / 2 : (n + s) / 2;
            b = py == 0 ? (n + s) / 2 : (w + e) / 2;
        }
#endif
        out[y * W + x] = make_ushort4(min(max(r, 0), 65535), min(max(g, 0), 65535), min(max(b, 0), 65535), 65535);
    }
}
