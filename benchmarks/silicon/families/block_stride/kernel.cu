// Every block owns a contiguous chunk and strides over it with 64-bit indices.
extern "C" __global__ void block_stride(const float* __restrict__ input, float* __restrict__ out, long long n) {
    constexpr int unroll = UNROLL;
    long long chunk = (n + gridDim.x - 1) / gridDim.x;
    long long last = min((blockIdx.x + 1) * chunk, n);
    float sum = 0.0f;
#pragma unroll unroll
    for (long long i = blockIdx.x * chunk + threadIdx.x; i < last; i += blockDim.x) sum += input[i] * input[i];
    out[(long long)blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
