constexpr int WIDTH = 2048, HEIGHT = 1024, ROWS = 8 * ROWS_EACH;

extern "C" __global__ void __launch_bounds__(BLOCK_X * 8)
biharmonic13_sheet(const float* __restrict__ w, const float* __restrict__ load, float* __restrict__ out, float step)
{
    const int x0 = blockIdx.x * BLOCK_X, y0 = blockIdx.y * ROWS;
#if IN_SHARED
    __shared__ float tile[ROWS + 4][BLOCK_X + 4];
    for (int i = threadIdx.y; i < ROWS + 4; i += 8)
        for (int j = threadIdx.x; j < BLOCK_X + 4; j += BLOCK_X)
            tile[i][j] = w[(y0 + i - 2 + HEIGHT) % HEIGHT * WIDTH + (x0 + j - 2 + WIDTH) % WIDTH];
    __syncthreads();
#define AT(dx, dy) tile[ly + 2 + (dy)][threadIdx.x + 2 + (dx)]
#else
#define AT(dx, dy) w[(y + (dy) + HEIGHT) % HEIGHT * WIDTH + (x + (dx) + WIDTH) % WIDTH]
#endif
    const int x = x0 + threadIdx.x;
#pragma unroll
    for (int r = 0; r < ROWS_EACH; ++r) {
        const int ly = threadIdx.y + r * 8, y = y0 + ly;
        const float middle = AT(0, 0);
        const float near = AT(-1, 0) + AT(1, 0) + AT(0, -1) + AT(0, 1);
        const float corners = AT(-1, -1) + AT(1, -1) + AT(-1, 1) + AT(1, 1);
        const float far = AT(-2, 0) + AT(2, 0) + AT(0, -2) + AT(0, 2);
        const float b = 20.0f * middle - 8.0f * near + 2.0f * corners + far;
        out[y * WIDTH + x] = middle + step * (load[y * WIDTH + x] - b);
    }
}
