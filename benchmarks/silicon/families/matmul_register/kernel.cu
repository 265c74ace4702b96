// C = A B, each thread holds a THREAD_ROWS x THREAD_COLUMNS block of C in registers; 16 x 16 threads a block.
extern "C" __global__ void matmul_register(const float* __restrict__ a, const float* __restrict__ b,
                                           float* __restrict__ c, int n) {
    constexpr int rows = 16 * THREAD_ROWS;
    constexpr int columns = 16 * THREAD_COLUMNS;
    constexpr int depth = DEPTH;
    __shared__ float tile_a[depth][rows];
    __shared__ float tile_b[depth][columns];
    int tx = threadIdx.x % 16;
    int ty = threadIdx.x / 16;
    int first_row = blockIdx.y * rows;
    int first_column = blockIdx.x * columns;
    float sum[THREAD_ROWS][THREAD_COLUMNS] = {};
    for (int base = 0; base < n; base += depth) {
        for (int i = threadIdx.x; i < rows * depth; i += 256)
            tile_a[i % depth][i / depth] = a[(first_row + i / depth) * n + base + i % depth];
        for (int i = threadIdx.x; i < columns * depth; i += 256)
            tile_b[i / columns][i % columns] = b[(base + i / columns) * n + first_column + i % columns];
        __syncthreads();
#pragma unroll
        for (int k = 0; k < depth; ++k) {
            float left[THREAD_ROWS], right[THREAD_COLUMNS];
#pragma unroll
            for (int i = 0; i < THREAD_ROWS; ++i) left[i] = tile_a[k][ty * THREAD_ROWS + i];
#pragma unroll
            for (int j = 0; j < THREAD_COLUMNS; ++j) right[j] = tile_b[k][tx * THREAD_COLUMNS + j];
#pragma unroll
            for (int i = 0; i < THREAD_ROWS; ++i)
#pragma unroll
                for (int j = 0; j < THREAD_COLUMNS; ++j) sum[i][j] += left[i] * right[j];
        }
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < THREAD_ROWS; ++i)
#pragma unroll
        for (int j = 0; j < THREAD_COLUMNS; ++j)
            c[(first_row + ty * THREAD_ROWS + i) * n + first_column + tx * THREAD_COLUMNS + j] = sum[i][j];
}
