// One-dimensional convolution of a runtime length; the weights come through an argument, the data through shared memory.
extern "C" __global__ void convolution_argument(const float* __restrict__ input, const float* __restrict__ weights,
                                                float* __restrict__ out, int taps) {
    constexpr int unroll = UNROLL;
    extern __shared__ float tile[];
    int first = blockIdx.x * (BLOCK_SIZE * OUTPUTS);
    for (int i = threadIdx.x; i < BLOCK_SIZE * OUTPUTS + taps; i += BLOCK_SIZE) tile[i] = input[first + i];
    __syncthreads();
    float sum[OUTPUTS] = {};
#pragma unroll unroll
    for (int k = 0; k < taps; ++k) {
        float w = weights[k];
#pragma unroll
        for (int o = 0; o < OUTPUTS; ++o) sum[o] += w * tile[threadIdx.x + o * BLOCK_SIZE + k];
    }
#pragma unroll
    for (int o = 0; o < OUTPUTS; ++o) out[first + o * BLOCK_SIZE + threadIdx.x] = sum[o];
}
