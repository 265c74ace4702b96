// Sparse matrix stored by diagonals, by a vector, a row a thread. The diagonals are SPREAD apart.
#if DOUBLES
typedef double real;
#else
typedef float real;
#endif

extern "C" __global__ void dia_spmv(const int* __restrict__ number, const real* __restrict__ values,
                                    const real* __restrict__ x, real* __restrict__ y, int rows)
{
    const int row = blockIdx.x * THREADS + threadIdx.x;
    if (row >= rows) return;
    real sum = 0;
#pragma unroll 4
    for (int d = 0; d < DIAGONALS; ++d) {
        const int column = row + (number[d] - DIAGONALS / 2) * SPREAD;
        if (column >= 0 && column < rows) sum += values[(size_t)d * rows + row] * x[column];
    }
    y[row] = sum;
}
