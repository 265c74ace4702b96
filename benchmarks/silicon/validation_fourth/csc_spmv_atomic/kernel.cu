// Sparse matrix stored by columns by a vector: LANES lanes scatter a column's products to the rows by atomics.
__device__ __forceinline__ int start_of(int column)
{
    unsigned h = column * 2246822519u;
    h ^= h >> 13;
    return column * MEAN + (int)(h % MEAN);
}

extern "C" __global__ void csc_spmv_atomic(const int* __restrict__ rows, const float* __restrict__ values,
                                           const float* __restrict__ x, float* __restrict__ y, int columns)
{
    const int thread = blockIdx.x * THREADS + threadIdx.x, column = thread / LANES;
    if (column >= columns) return;
    const float factor = x[column];
    const int end = start_of(column + 1);
    for (int k = start_of(column) + thread % LANES; k < end; k += LANES) atomicAdd(y + rows[k], values[k] * factor);
}
