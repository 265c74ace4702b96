// y = A x in FP64; the starts of rows are sorted random numbers.
extern "C" __global__ void __launch_bounds__(THREADS)
csr_f64_lanes_unrolled(const int* __restrict__ start, const int* __restrict__ index, const double* __restrict__ value,
                       const double* __restrict__ x, double* __restrict__ y)
{
    const int id = blockIdx.x * THREADS + threadIdx.x, row = id / LANES, lane = id % LANES;
    const int end = start[row + 1];
    int i = start[row] + lane;
    double acc[UNROLL] = {};
#pragma unroll 1
    for (; i + (UNROLL - 1) * LANES < end; i += UNROLL * LANES)
#pragma unroll
        for (int u = 0; u < UNROLL; ++u) acc[u] += value[i + u * LANES] * x[index[i + u * LANES]];
    if (UNROLL > 1)
#pragma unroll 1
        for (; i < end; i += LANES) acc[0] += value[i] * x[index[i]];
    double sum = 0.0;
#pragma unroll
    for (int u = 0; u < UNROLL; ++u) sum += acc[u];
#pragma unroll
    for (int d = LANES / 2; d; d >>= 1) sum += __shfl_xor_sync(~0u, sum, d);
    if (lane == 0) y[row] = sum;
}
