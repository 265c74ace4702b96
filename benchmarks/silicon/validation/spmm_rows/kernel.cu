// Sparse by dense matrix: a warp takes a row, its lanes neighbouring columns of the dense matrix.
// The row's entries are broadcast loads; about 16 of them, by a hash of the row.
__device__ int start(unsigned row) { return row * 16 + ((row * 2654435761u) >> 16) % 16; }

extern "C" __global__ void spmm_rows(const int* __restrict__ columns, const float* __restrict__ values,
                                     const float* __restrict__ x, float* __restrict__ y) {
    constexpr int each = DENSE / 32, unroll = UNROLL;
    int row = blockIdx.x * ROWS_BLOCK + threadIdx.y, end = start(row + 1);
    float sum[each] = {};
#pragma unroll unroll
    for (int i = start(row); i < end; ++i) {
        float value = values[i];
        const float* line = x + columns[i] * DENSE + threadIdx.x;
#pragma unroll
        for (int k = 0; k < each; ++k) sum[k] = fmaf(value, line[32 * k], sum[k]);
    }
#pragma unroll
    for (int k = 0; k < each; ++k) y[row * DENSE + threadIdx.x + 32 * k] = sum[k];
}
