// Softmax of one row a warp, the row in registers, reductions by shuffles.
extern "C" __global__ void softmax_warp(const float* __restrict__ input, float* __restrict__ out) {
    constexpr int items = COLUMNS / 32;
    int row = (blockIdx.x * BLOCK_SIZE + threadIdx.x) / 32;
    int lane = threadIdx.x % 32;
    const float* line = input + (size_t)row * COLUMNS;
    float value[items];
    float largest = -3.4e38f;
#pragma unroll
    for (int i = 0; i < items; ++i) {
        value[i] = line[i * 32 + lane];
        largest = fmaxf(largest, value[i]);
    }
    for (int offset = 16; offset > 0; offset /= 2)
        largest = fmaxf(largest, __shfl_xor_sync(0xffffffffu, largest, offset));
    float sum = 0.0f;
#pragma unroll
    for (int i = 0; i < items; ++i) {
        value[i] = __expf(value[i] - largest);
        sum += value[i];
    }
    for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, offset);
    float scale = 1.0f / sum;
#pragma unroll
    for (int i = 0; i < items; ++i) out[(size_t)row * COLUMNS + i * 32 + lane] = value[i] * scale;
}
