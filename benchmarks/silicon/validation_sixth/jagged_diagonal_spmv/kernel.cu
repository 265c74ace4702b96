// Diagonal d has ROWS - d ROWS / LONGEST entries; results go back to the rows' own order.
constexpr int ROWS = 131072, LESS = ROWS / LONGEST, U = UNROLL;

extern "C" __global__ void __launch_bounds__(THREADS)
jagged_diagonal_spmv(const float* __restrict__ values, const int* __restrict__ columns, const float* __restrict__ x,
                     float* __restrict__ y)
{
#pragma unroll
    for (int e = 0; e < ROWS_EACH; ++e) {
        const int row = (blockIdx.x * ROWS_EACH + e) * THREADS + threadIdx.x, length = LONGEST - row / LESS;
        float sum = 0.0f;
        int at = row, size = ROWS;
#pragma unroll U
        for (int d = 0; d < length; ++d) {
            sum += values[at] * x[columns[at]];
            at += size;
            size -= LESS;
        }
        y[row * 40503u & ROWS - 1] = sum;
    }
}
