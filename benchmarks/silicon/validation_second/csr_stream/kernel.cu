// CSR-stream: the block reads its rows' entries as one stretch, whatever the rows' lengths, and leaves the products in
// shared memory; then LANES lanes add up each row. Row r begins at r MEAN + hash(r) % MEAN.
__device__ __forceinline__ int row_begin(unsigned r) { return r * MEAN + ((r * 0x9E3779B1u) >> 15) % MEAN; }

extern "C" __global__ void csr_stream(const int* __restrict__ columns, const float* __restrict__ values,
                                      const float* __restrict__ x, float* __restrict__ y)
{
    __shared__ float product[(ROWS_BLOCK + 1) * MEAN];
    const int row0 = blockIdx.x * ROWS_BLOCK;
    const int begin = row_begin(row0), end = row_begin(row0 + ROWS_BLOCK);
    for (int i = begin + threadIdx.x; i < end; i += THREADS) product[i - begin] = values[i] * x[columns[i]];
    __syncthreads();
    for (int r = threadIdx.x / LANES; r < ROWS_BLOCK; r += THREADS / LANES) {
        const int stop = row_begin(row0 + r + 1) - begin;
        float sum = 0.0f;
        for (int i = row_begin(row0 + r) - begin + threadIdx.x % LANES; i < stop; i += LANES) sum += product[i];
        if (LANES == 4) {
            sum += __shfl_xor_sync(0xffffffffu, sum, 1);
            sum += __shfl_xor_sync(0xffffffffu, sum, 2);
        }
        if (threadIdx.x % LANES == 0) y[row0 + r] = sum;
    }
}
