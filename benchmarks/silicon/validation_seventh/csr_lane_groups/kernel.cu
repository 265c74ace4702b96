// 131,072 rows of 8 to 24 entries in slots of 24; LANES lanes a row. Columns lie anywhere in a vector of SPAN numbers.
__device__ int length_of(int row) { return 8 + (int)((unsigned)row * 2654435761u >> 16) % 17; }

extern "C" __global__ void __launch_bounds__(256)
csr_lane_groups(const int* __restrict__ columns, const float* __restrict__ values, const float* __restrict__ x,
                float* __restrict__ y)
{
    const int row = (blockIdx.x * 256 + threadIdx.x) / LANES, lane = threadIdx.x % LANES;
    const int first = row * 24, end = first + length_of(row);
    float sum = 0.0f;
#pragma unroll UNROLL
    for (int k = first + lane; k < end; k += LANES) sum += values[k] * x[columns[k]];
#pragma unroll
    for (int d = LANES / 2; d; d >>= 1) sum += __shfl_xor_sync(~0u, sum, d);
    if (lane == 0) y[row] = sum;
}
