// y += A x; entries of a thread follow each other or lie a block apart.
extern "C" __global__ void __launch_bounds__(THREADS)
coo_f64_runs_atomics(const int* __restrict__ rows, const int* __restrict__ columns, const double* __restrict__ values, const double* __restrict__ x, double* __restrict__ y)
{
    const int first = blockIdx.x * THREADS * EACH + (APART ? threadIdx.x : threadIdx.x * EACH);
    int row[EACH];
    double f[EACH];
#pragma unroll
    for (int i = 0; i < EACH; ++i) {
        const int at = first + i * (APART ? THREADS : 1);
        row[i] = rows[at];
        f[i] = values[at] * x[columns[at]];
    }
    if (MERGED) {
#pragma unroll
        for (int i = 1; i < EACH; ++i) {
            if (row[i] == row[i - 1]) f[i] += f[i - 1];
            else atomicAdd(y + row[i - 1], f[i - 1]);
        }
        atomicAdd(y + row[EACH - 1], f[EACH - 1]);
    } else {
#pragma unroll
        for (int i = 0; i < EACH; ++i) atomicAdd(y + row[i], f[i]);
    }
}
