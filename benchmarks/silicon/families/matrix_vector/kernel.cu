// y = A x, one warp a row, shuffles at the end.
extern "C" __global__ void matrix_vector(const float* __restrict__ a, const float* __restrict__ x,
                                         float* __restrict__ y, int columns) {
    constexpr int unroll = UNROLL;
    int row = (blockIdx.x * BLOCK_SIZE + threadIdx.x) / 32;
    int lane = threadIdx.x % 32;
    const float* line = a + (size_t)row * columns;
    float sum = 0.0f;
#pragma unroll unroll
    for (int j = lane; j < columns; j += 32) sum += line[j] * x[j];
    for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, offset);
    if (lane == 0) y[row] = sum;
}
