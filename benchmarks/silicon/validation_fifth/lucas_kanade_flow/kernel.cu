// Solves Lucas' and Kanade's 2 x 2 system at every pixel; borders repeat.
constexpr int W = 1024, H = 512, REACH = RADIUS + 1, TW = BLOCK_X + 2 * REACH, TH = BLOCK_Y + 2 * REACH;

extern "C" __global__ void __launch_bounds__(BLOCK_X * BLOCK_Y)
lucas_kanade_flow(const float* __restrict__ first, const float* __restrict__ second, float2* __restrict__ flow)
{
    const int tx = threadIdx.x, ty = threadIdx.y, x0 = blockIdx.x * BLOCK_X, y0 = blockIdx.y * BLOCK_Y;
    auto pixel = [&](const float* image, int x, int y) { return image[min(max(y, 0), H - 1) * W + min(max(x, 0), W - 1)]; };
#if IN_SHARED
    __shared__ float a[TH][TW], b[TH][TW];
    for (int i = ty * BLOCK_X + tx; i < TW * TH; i += BLOCK_X * BLOCK_Y) {
        a[i / TW][i % TW] = pixel(first, x0 + i % TW - REACH, y0 + i / TW - REACH);
        b[i / TW][i % TW] = pixel(second, x0 + i % TW - REACH, y0 + i / TW - REACH);
    }
    __syncthreads();
    auto one = [&](int dy, int dx) { return a[ty + REACH + dy][tx + REACH + dx]; };
    auto two = [&](int dy, int dx) { return b[ty + REACH + dy][tx + REACH + dx]; };
#else
    auto one = [&](int dy, int dx) { return pixel(first, x0 + tx + dx, y0 + ty + dy); };
    auto two = [&](int dy, int dx) { return pixel(second, x0 + tx + dx, y0 + ty + dy); };
#endif
    float xx = 0.0f, xy = 0.0f, yy = 0.0f, xt = 0.0f, yt = 0.0f;
#pragma unroll 1
    for (int dy = -RADIUS; dy <= RADIUS; ++dy)
#pragma unroll
        for (int dx = -RADIUS; dx <= RADIUS; ++dx) {
            const float gx = 0.5f * (one(dy, dx + 1) - one(dy, dx - 1)), gy = 0.5f * (one(dy + 1, dx) - one(dy - 1, dx));
            const float gt = two(dy, dx) - one(dy, dx);
            xx += gx * gx;
            xy += gx * gy;
            yy += gy * gy;
            xt += gx * gt;
            yt += gy * gt;
        }
    const float inverse = 1.0f / (xx * yy - xy * xy + 1e-3f);
    flow[(y0 + ty) * W + x0 + tx] = make_float2((xy * yt - yy * xt) * inverse, (xy * xt - xx * yt) * inverse);
}
