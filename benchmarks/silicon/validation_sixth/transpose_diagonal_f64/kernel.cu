// 1,536 rows of 2,048 numbers.
constexpr int WIDTH = 2048, HEIGHT = 1536;

extern "C" __global__ void __launch_bounds__(TILE * ROWS) transpose_diagonal_f64(const double* __restrict__ a, double* __restrict__ t)
{
    __shared__ double tile[TILE][TILE + PADDED];
#if DIAGONAL
    const int flat = blockIdx.x + gridDim.x * blockIdx.y, by = flat % gridDim.y;
    const int bx = (flat / gridDim.y + by) % gridDim.x;
#else
    const int bx = blockIdx.x, by = blockIdx.y;
#endif
    int x = bx * TILE + threadIdx.x, y = by * TILE + threadIdx.y;
#pragma unroll
    for (int r = 0; r < TILE; r += ROWS) tile[threadIdx.y + r][threadIdx.x] = a[(y + r) * WIDTH + x];
    __syncthreads();
    x = by * TILE + threadIdx.x;
    y = bx * TILE + threadIdx.y;
#pragma unroll
    for (int r = 0; r < TILE; r += ROWS) t[(y + r) * HEIGHT + x] = tile[threadIdx.x][threadIdx.y + r];
}
