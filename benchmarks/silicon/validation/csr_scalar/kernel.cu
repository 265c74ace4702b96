// Sparse matrix by vector, CSR, one row a thread. Rows start at r * MEAN + hash(r) % MEAN, so their lengths
// are between 1 and 2 MEAN - 1; columns are random.
__device__ int start(unsigned row) { return row * MEAN + ((row * 2654435761u) >> 15) % MEAN; }

extern "C" __global__ void csr_scalar(const int* __restrict__ columns, const float* __restrict__ values,
                                      const float* __restrict__ x, float* __restrict__ y) {
    constexpr int unroll = UNROLL;
    int row = blockIdx.x * BLOCK_SIZE + threadIdx.x;
    int end = start(row + 1);
    float sum = 0.0f;
#pragma unroll unroll
    for (int i = start(row); i < end; ++i) sum = fmaf(values[i], x[columns[i]], sum);
    y[row] = sum;
}
