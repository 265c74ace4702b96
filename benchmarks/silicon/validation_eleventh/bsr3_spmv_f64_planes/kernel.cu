// Blocks of 3 x 3 FP64 numbers, 16 a row of blocks; the nine numbers of a block are together or in nine planes.
constexpr int ROWS = 65536, PERROW = 16, BLOCKS = ROWS * PERROW;

extern "C" __global__ void __launch_bounds__(THREADS)
bsr3_spmv_f64_planes(const int* __restrict__ column, const double* __restrict__ block, const double* __restrict__ x, double* __restrict__ y)
{
    const int id = blockIdx.x * THREADS + threadIdx.x, row = id / LANES, lane = id % LANES;
    double s[3] = {};
#pragma unroll 2
    for (int i = lane; i < PERROW; i += LANES) {
        const int at = row * PERROW + i;
        const double* v = x + 3 * column[at];
        const double a = v[0], b = v[1], c = v[2];
#pragma unroll
        for (int r = 0; r < 3; ++r)
            s[r] += PLANES ? block[(size_t)(3 * r) * BLOCKS + at] * a + block[(size_t)(3 * r + 1) * BLOCKS + at] * b +
                                 block[(size_t)(3 * r + 2) * BLOCKS + at] * c
                           : block[(size_t)at * 9 + 3 * r] * a + block[(size_t)at * 9 + 3 * r + 1] * b + block[(size_t)at * 9 + 3 * r + 2] * c;
    }
#pragma unroll
    for (int d = LANES / 2; d; d >>= 1)
#pragma unroll
        for (int r = 0; r < 3; ++r) s[r] += __shfl_xor_sync(~0u, s[r], d);
    if (lane < 3) {
        if (LANES >= 4) {
            y[3 * row + lane] = lane == 0 ? s[0] : lane == 1 ? s[1] : s[2];
        } else if (lane == 0) {
            y[3 * row] = s[0];
            y[3 * row + 1] = s[1];
            y[3 * row + 2] = s[2];
        }
    }
}
