// Random gather: out[i] = table[index[i]], UNROLL independent gathers a thread.
extern "C" __global__ void gather(const int* __restrict__ index, const float* __restrict__ table,
                                  float* __restrict__ out) {
    constexpr int unroll = UNROLL;
    int first = blockIdx.x * (BLOCK_SIZE * unroll) + threadIdx.x;
#pragma unroll unroll
    for (int k = 0; k < unroll; ++k) {
        int i = first + k * BLOCK_SIZE;
        out[i] = table[index[i]];
    }
}
