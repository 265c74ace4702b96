// Sparse matrix by vector, sliced ELLPACK: 32 rows a slice, its width from a hash, columns side by side.
// Columns are random within 4,096 of the row, so that neighbours share cache lines at times.
extern "C" __global__ void sell_spmv(const int* __restrict__ columns, const float* __restrict__ values,
                                     const float* __restrict__ x, float* __restrict__ y) {
    constexpr int unroll = UNROLL;
    int row = blockIdx.x * BLOCK_SIZE + threadIdx.x, lane = row % 32;
    unsigned slice = row / 32;
    int width = WIDEST / 2 + ((slice * 2654435761u) >> 20) % (WIDEST / 2 + 1);
    size_t base = (size_t)slice * 32 * WIDEST + lane;
    float sum = 0.0f;
#pragma unroll unroll
    for (int k = 0; k < width; ++k) {
        int column = (row & ~4095) + (columns[base + k * 32] & 4095);
        sum = fmaf(values[base + k * 32], x[column], sum);
    }
    y[row] = sum;
}
