// x = (b - L x) / d for rows that depend on earlier levels alone; the diagonal is taken as the number of entries.
#if DOUBLES
typedef double real;
#else
typedef float real;
#endif

extern "C" __global__ void __launch_bounds__(256)
sptrsv_level_rows(const int* __restrict__ columns, const real* __restrict__ values, const real* __restrict__ b, real* x)
{
    const int thread = blockIdx.x * 256 + threadIdx.x, row = thread / LANES, lane = thread % LANES;
    const int length = MEAN / 2 + (row * 2654435761u >> 7) % (MEAN + 1), base = row * (MEAN * 2);
    real sum = 0;
#pragma unroll 2
    for (int j = lane; j < length; j += LANES) sum += values[base + j] * x[columns[base + j]];
#pragma unroll
    for (int d = LANES / 2; d > 0; d >>= 1) sum += __shfl_down_sync(0xffffffff, sum, d, LANES);
    if (lane == 0) x[131072 + row] = (b[row] - sum) / real(length + 1);
}
