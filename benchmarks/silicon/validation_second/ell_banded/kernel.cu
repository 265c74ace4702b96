// ELLPACK, stored column by column: WIDTH entries in every row, each within `band` columns behind the diagonal.
extern "C" __global__ void ell_banded(const int* __restrict__ offset, const float* __restrict__ values,
                                      const float* __restrict__ x, float* __restrict__ y)
{
    constexpr int rows = 8388608 / WIDTH, unroll = UNROLL;
    const int row = blockIdx.x * THREADS + threadIdx.x;
    float sum = 0;
#pragma unroll unroll
    for (int k = 0; k < WIDTH; ++k) {
        const int at = k * rows + row;
        sum += values[at] * x[(row + offset[at]) & (rows - 1)];
    }
    y[row] = sum;
}
