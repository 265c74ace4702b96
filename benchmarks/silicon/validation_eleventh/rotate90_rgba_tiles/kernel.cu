// A picture of 4,096 x 2,048 pixels of four bytes is turned clockwise: (x, y) goes to (2047 - y, x).
constexpr int W = 4096, H = 2048;

extern "C" __global__ void __launch_bounds__(32 * ROWS)
rotate90_rgba_tiles(const unsigned* __restrict__ from, unsigned* __restrict__ to)
{
    const int x0 = blockIdx.x * TILE, y0 = blockIdx.y * TILE;
    if (MODE == 0) {
#pragma unroll
        for (int j = 0; j < TILE; j += ROWS)
#pragma unroll
            for (int i = 0; i < TILE; i += 32) {
                const int x = x0 + i + threadIdx.x, y = y0 + j + threadIdx.y;
                to[x * H + H - 1 - y] = from[y * W + x];
            }
    } else {
        __shared__ unsigned tile[TILE][TILE + (MODE == 2)];
#pragma unroll
        for (int j = 0; j < TILE; j += ROWS)
#pragma unroll
            for (int i = 0; i < TILE; i += 32)
                tile[j + threadIdx.y][i + threadIdx.x] = from[(y0 + j + threadIdx.y) * W + x0 + i + threadIdx.x];
        __syncthreads();
#pragma unroll
        for (int j = 0; j < TILE; j += ROWS)
#pragma unroll
            for (int i = 0; i < TILE; i += 32) {
                const int x = j + threadIdx.y, y = TILE - 1 - i - threadIdx.x;
                to[(x0 + x) * H + H - 1 - y0 - y] = tile[y][x];
            }
    }
}
