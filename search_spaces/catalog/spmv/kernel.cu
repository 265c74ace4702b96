// spmv: a sparse matrix with as many entries in every row times a vector, LANES threads a row.
//
// By rows (CSR), few lanes read scattered words and many lanes leave some without work; by columns (ELLPACK), one lane
// a row reads coalesced. The vector is gathered from L2.

extern "C" __global__ void spmv(const int* __restrict__ columns, const float* __restrict__ values,
                                const float* __restrict__ x, float* __restrict__ y, int rows, int entries)
{
    const int row = (blockIdx.x * BLOCK_SIZE + threadIdx.x) / LANES;
    const int lane = threadIdx.x % LANES;
    float sum = 0.0f;
#pragma unroll UNROLL
    for (int entry = lane; entry < entries; entry += LANES) {
        const int place = BY_COLUMNS ? entry * rows + row : row * entries + entry;
        sum = fmaf(values[place], x[columns[place]], sum);
    }
#pragma unroll
    for (int offset = LANES / 2; offset > 0; offset /= 2) {
        sum += __shfl_xor_sync(0xffffffffu, sum, offset);
    }
    if (lane == 0) {
        y[row] = sum;
    }
}
