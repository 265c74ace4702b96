// Softmax of one row a block: maximum, sum and scale, tree reductions in shared memory.
__device__ float reduce(float value, float* scratch, bool maximum) {
    scratch[threadIdx.x] = value;
    __syncthreads();
    for (int half = BLOCK_SIZE / 2; half > 0; half /= 2) {
        if (threadIdx.x < half) {
            float other = scratch[threadIdx.x + half];
            scratch[threadIdx.x] = maximum ? fmaxf(scratch[threadIdx.x], other) : scratch[threadIdx.x] + other;
        }
        __syncthreads();
    }
    float result = scratch[0];
    __syncthreads();
    return result;
}

extern "C" __global__ void softmax_block(const float* __restrict__ input, float* __restrict__ out, int columns) {
    __shared__ float scratch[BLOCK_SIZE];
    const float* row = input + (size_t)blockIdx.x * columns;
    float largest = -3.4e38f;
    for (int i = threadIdx.x; i < columns; i += BLOCK_SIZE) largest = fmaxf(largest, row[i]);
    largest = reduce(largest, scratch, true);
    float sum = 0.0f;
    for (int i = threadIdx.x; i < columns; i += BLOCK_SIZE) sum += expf(row[i] - largest);
    sum = reduce(sum, scratch, false);
    for (int i = threadIdx.x; i < columns; i += BLOCK_SIZE)
        out[(size_t)blockIdx.x * columns + i] = expf(row[i] - largest) / sum;
}
