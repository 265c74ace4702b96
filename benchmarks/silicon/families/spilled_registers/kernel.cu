// LIVE values stay live over a loop that mixes neighbours; a register cap below that spills them.
extern "C" __global__ void spilled_registers(const float* __restrict__ input, float* __restrict__ out, int repeats) {
    float value[LIVE];
    int i = blockIdx.x * BLOCK_SIZE + threadIdx.x;
#pragma unroll
    for (int k = 0; k < LIVE; ++k) value[k] = input[i + k];
#pragma unroll 1
    for (int r = 0; r < repeats; ++r) {
#pragma unroll
        for (int k = 0; k < LIVE; ++k) value[k] = value[k] * 0.99f + value[(k * 7 + 3) % LIVE];
    }
    float sum = 0.0f;
#pragma unroll
    for (int k = 0; k < LIVE; ++k) sum += value[k];
    out[i] = sum;
}
