// Sparse matrix by vector, CSR, LANES lanes a row and a sum by shuffles.
// Rows start at r * MEAN + hash(r) % MEAN; columns are random.
__device__ int start(unsigned row) { return row * MEAN + ((row * 2246822519u) >> 13) % MEAN; }

extern "C" __global__ void csr_vector(const int* __restrict__ columns, const float* __restrict__ values,
                                      const float* __restrict__ x, float* __restrict__ y) {
    int row = (blockIdx.x * BLOCK_SIZE + threadIdx.x) / LANES, lane = threadIdx.x % LANES;
    int end = start(row + 1);
    float sum = 0.0f;
    for (int i = start(row) + lane; i < end; i += LANES) sum = fmaf(values[i], x[columns[i]], sum);
#pragma unroll
    for (int o = LANES / 2; o; o >>= 1) sum += __shfl_down_sync(~0u, sum, o, LANES);
    if (lane == 0) y[row] = sum;
}
