// ELLR-T: entry j of a row lies at [j / LANES][row][j % LANES]; lengths between half the width and all of it.
constexpr int ROWS = 65536;

extern "C" __global__ void __launch_bounds__(THREADS)
ellr_lanes_spmv(const float* __restrict__ values, const int* __restrict__ columns, const float* __restrict__ x,
                float* __restrict__ y)
{
    const int thread = blockIdx.x * THREADS + threadIdx.x, row = thread / LANES, lane = thread % LANES;
    const int length = WIDTH / 2 + (row * 2654435761u >> 8) % (WIDTH / 2 + 1);
    float sum = 0.0f;
    int at = thread;
#pragma unroll 4
    for (int j = lane; j < length; j += LANES, at += ROWS * LANES) sum += values[at] * x[columns[at]];
#pragma unroll
    for (int d = LANES / 2; d > 0; d >>= 1) sum += __shfl_xor_sync(0xffffffff, sum, d);
    if (lane == 0) y[row] = sum;
}
