// CHAINS chains of shuffles: up, down, butterfly or by a computed lane.
extern "C" __global__ void warp_shuffle(const float* __restrict__ input, float* __restrict__ out, int steps) {
    constexpr unsigned all = 0xffffffffu;
    int i = blockIdx.x * BLOCK_SIZE + threadIdx.x;
    float value[CHAINS];
#pragma unroll
    for (int c = 0; c < CHAINS; ++c) value[c] = input[i] + c;
#pragma unroll 4
    for (int s = 0; s < steps; ++s)
#pragma unroll
        for (int c = 0; c < CHAINS; ++c) {
#if KIND == 0
            value[c] += __shfl_up_sync(all, value[c], 1);
#elif KIND == 1
            value[c] += __shfl_down_sync(all, value[c], 8);
#elif KIND == 2
            value[c] += __shfl_xor_sync(all, value[c], 16);
#else
            value[c] += __shfl_sync(all, value[c], threadIdx.x * 7 + s);
#endif
        }
    float sum = 0.0f;
#pragma unroll
    for (int c = 0; c < CHAINS; ++c) sum += value[c];
    out[i] = sum;
}
