// CHAINS FMA chains with three different sources each: register ports and reuse beside latency.
extern "C" __global__ void fma_ilp(const float* __restrict__ input, float* __restrict__ out, int steps) {
    constexpr int unroll = UNROLL;
    float x[CHAINS], a[4], b[4];
#pragma unroll
    for (int k = 0; k < 4; ++k) {
        a[k] = input[threadIdx.x + k];
        b[k] = input[threadIdx.x + 4 + k];
    }
#pragma unroll
    for (int c = 0; c < CHAINS; ++c) x[c] = c;
#pragma unroll unroll
    for (int s = 0; s < steps; ++s)
#pragma unroll
        for (int c = 0; c < CHAINS; ++c) x[c] = x[c] * a[c % 4] + b[(c + c / 4) % 4];
    float sum = 0.0f;
#pragma unroll
    for (int c = 0; c < CHAINS; ++c) sum += x[c];
    out[blockIdx.x * BLOCK_SIZE + threadIdx.x] = sum;
}
