// 1,920 x 1,024 pixels, the border repeated. Size of a gradient as the sum of both sides or as the root of squares.
constexpr int WIDTH = 1920, HEIGHT = 1024;

__device__ float size_of(int gx, int gy)
{
#if EXACT
    return sqrtf((float)(gx * gx + gy * gy));
#else
    return abs(gx) + abs(gy);
#endif
}

__device__ int2 direction(int gx, int gy)
{
    const int ax = abs(gx), ay = abs(gy);
    if (5 * ay < 2 * ax) return make_int2(1, 0);
    if (5 * ax < 2 * ay) return make_int2(0, 1);
    return make_int2(1, (gx < 0) == (gy < 0) ? 1 : -1);
}

__device__ int2 sobel(const unsigned char* p, int west, int east, int north, int south)
{
    const int a = p[north + west], b = p[north], c = p[north + east], d = p[west], f = p[east];
    const int g = p[south + west], h = p[south], i = p[south + east];
    return make_int2(c + 2 * f + i - a - 2 * d - g, g + 2 * h + i - a - 2 * b - c);
}

__device__ int2 sobel_at(const unsigned char* image, int x, int y)
{
    x = min(max(x, 0), WIDTH - 1);
    y = min(max(y, 0), HEIGHT - 1);
    return sobel(image + y * WIDTH + x, x > 0 ? -1 : 0, x < WIDTH - 1 ? 1 : 0, y > 0 ? -WIDTH : 0,
                 y < HEIGHT - 1 ? WIDTH : 0);
}

extern "C" __global__ void __launch_bounds__(32 * BLOCK_Y)
canny_suppress(const unsigned char* __restrict__ image, unsigned char* __restrict__ edges)
{
    const int x0 = blockIdx.x * 32, y0 = blockIdx.y * BLOCK_Y, x = x0 + threadIdx.x, y = y0 + threadIdx.y;
#if IN_SHARED
    __shared__ unsigned char tile[BLOCK_Y + 4][36];
    __shared__ float sizes[BLOCK_Y + 2][34];
    const int thread = threadIdx.y * 32 + threadIdx.x;
    for (int i = thread; i < (BLOCK_Y + 4) * 36; i += 32 * BLOCK_Y)
        tile[i / 36][i % 36] = image[min(max(y0 + i / 36 - 2, 0), HEIGHT - 1) * WIDTH + min(max(x0 + i % 36 - 2, 0), WIDTH - 1)];
    __syncthreads();
    for (int i = thread; i < (BLOCK_Y + 2) * 34; i += 32 * BLOCK_Y) {
        const int2 g = sobel(&tile[i / 34 + 1][i % 34 + 1], -1, 1, -36, 36);
        sizes[i / 34][i % 34] = size_of(g.x, g.y);
    }
    const int2 g = sobel(&tile[threadIdx.y + 2][threadIdx.x + 2], -1, 1, -36, 36), to = direction(g.x, g.y);
    __syncthreads();
    const float mine = sizes[threadIdx.y + 1][threadIdx.x + 1];
    const float ahead = sizes[threadIdx.y + 1 + to.y][threadIdx.x + 1 + to.x];
    const float behind = sizes[threadIdx.y + 1 - to.y][threadIdx.x + 1 - to.x];
#else
    const int2 g = sobel_at(image, x, y), to = direction(g.x, g.y);
    const int2 next = sobel_at(image, x + to.x, y + to.y), last = sobel_at(image, x - to.x, y - to.y);
    const float mine = size_of(g.x, g.y), ahead = size_of(next.x, next.y), behind = size_of(last.x, last.y);
#endif
    const bool ridge = mine >= ahead && mine > behind;
    edges[y * WIDTH + x] = !ridge || mine < 150.0f ? 0 : mine < 400.0f ? 128 : 255;
}
