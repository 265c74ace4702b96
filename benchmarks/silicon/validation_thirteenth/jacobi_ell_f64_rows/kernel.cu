// y = (rhs - A x) / d for an ELLPACK matrix without its diagonal, in FP64; ROWS rows a thread.
constexpr int N = 131072, WIDTH = 16;

extern "C" __global__ void __launch_bounds__(THREADS)
jacobi_ell_f64_rows(const double* __restrict__ values, const int* __restrict__ columns, const double* __restrict__ inverse,
                    const double* __restrict__ rhs, const double* __restrict__ x, double* __restrict__ y)
{
    constexpr int U = UNROLL;
    const int row0 = blockIdx.x * THREADS * ROWS + threadIdx.x;
    double sum[ROWS];
#pragma unroll
    for (int r = 0; r < ROWS; ++r) sum[r] = rhs[row0 + r * THREADS];
#pragma unroll U
    for (int k = 0; k < WIDTH; ++k)
#pragma unroll
        for (int r = 0; r < ROWS; ++r) {
            const int row = row0 + r * THREADS, at = BY_ROWS ? row * WIDTH + k : k * N + row;
            sum[r] -= values[at] * x[columns[at]];
        }
#pragma unroll
    for (int r = 0; r < ROWS; ++r) y[row0 + r * THREADS] = sum[r] * inverse[row0 + r * THREADS];
}
