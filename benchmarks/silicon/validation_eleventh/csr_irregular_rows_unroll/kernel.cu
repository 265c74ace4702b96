// Sparse matrix whose rows begin at sorted random offsets, so that their lengths vary; LANES lanes have a row.
extern "C" __global__ void __launch_bounds__(128)
csr_irregular_rows_unroll(const int* __restrict__ offset, const int* __restrict__ column, const float* __restrict__ value,
                          const float* __restrict__ x, float* __restrict__ y)
{
    const int id = blockIdx.x * 128 + threadIdx.x, row = id / LANES, lane = id % LANES;
    const int end = offset[row + 1];
    int k = offset[row] + lane;
    float sum = 0.0f;
    for (; k + (AHEAD - 1) * LANES < end; k += AHEAD * LANES) {
        int c[AHEAD];
        float v[AHEAD];
#pragma unroll
        for (int i = 0; i < AHEAD; ++i) {
            c[i] = column[k + i * LANES];
            v[i] = value[k + i * LANES];
        }
#pragma unroll
        for (int i = 0; i < AHEAD; ++i) sum += v[i] * x[c[i]];
    }
    if (AHEAD > 1)
        for (; k < end; k += LANES) sum += value[k] * x[column[k]];
#pragma unroll
    for (int d = LANES / 2; d; d >>= 1) sum += __shfl_xor_sync(~0u, sum, d);
    if (lane == 0) y[row] = sum;
}
