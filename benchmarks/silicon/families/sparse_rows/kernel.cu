// Sparse matrix-vector product in ELLPACK with a length a row; a row a thread, columns stored along the rows.
extern "C" __global__ void sparse_rows(const int* __restrict__ lengths, const int* __restrict__ columns,
                                       const float* __restrict__ values, const float* __restrict__ x,
                                       float* __restrict__ y, int rows) {
    constexpr int unroll = UNROLL;
    int row = blockIdx.x * BLOCK_SIZE + threadIdx.x;
    if (row >= rows) return;
    int length = lengths[row];
    float sum = 0.0f;
#pragma unroll unroll
    for (int k = 0; k < length; ++k) {
        int at = k * rows + row;
        sum += values[at] * x[columns[at]];
    }
    y[row] = sum;
}
