// Dense reads, writes to every STRIDE-th word: partial sectors on the way to L2.
extern "C" __global__ void strided_write(const float* __restrict__ data, float* __restrict__ out, int n) {
    constexpr int unroll = UNROLL;
    int first = blockIdx.x * (blockDim.x * unroll) + threadIdx.x;
#pragma unroll unroll
    for (int k = 0; k < unroll; ++k) {
        int i = first + k * blockDim.x;
        if (i < n) out[(long long)i * STRIDE] = data[i] + 1.0f;
    }
}
