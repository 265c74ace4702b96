// Softmax over a vocabulary of 50,257: rows too long for registers and not aligned, read three times.
// One block a row, scalar accesses, the loops unrolled UNROLL times.
__device__ float reduce(float v, float* scratch, bool largest) {
    for (int o = 16; o; o >>= 1) {
        float w = __shfl_xor_sync(~0u, v, o);
        v = largest ? fmaxf(v, w) : v + w;
    }
    if (threadIdx.x % 32 == 0) scratch[threadIdx.x / 32] = v;
    __syncthreads();
    v = scratch[threadIdx.x % (BLOCK_SIZE / 32)];
    for (int o = BLOCK_SIZE / 64; o; o >>= 1) {
        float w = __shfl_xor_sync(~0u, v, o);
        v = largest ? fmaxf(v, w) : v + w;
    }
    __syncthreads();
    return v;
}

extern "C" __global__ void long_rows(const float* __restrict__ input, float* __restrict__ output) {
    constexpr int columns = 50257, unroll = UNROLL;
    __shared__ float scratch[BLOCK_SIZE / 32];
    const float* row = input + (size_t)blockIdx.x * columns;
    float* to = output + (size_t)blockIdx.x * columns;
    float top = -1e30f, sum = 0.0f;
#pragma unroll unroll
    for (int i = threadIdx.x; i < columns; i += BLOCK_SIZE) top = fmaxf(top, row[i]);
    top = reduce(top, scratch, true);
#pragma unroll unroll
    for (int i = threadIdx.x; i < columns; i += BLOCK_SIZE) sum += expf(row[i] - top);
    sum = reduce(sum, scratch, false);
#pragma unroll unroll
    for (int i = threadIdx.x; i < columns; i += BLOCK_SIZE) to[i] = expf(row[i] - top) / sum;
}
