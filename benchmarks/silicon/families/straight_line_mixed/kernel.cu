// A long body of integer, floating-point and shared-memory work; warps drift apart because they start at different phases.
extern "C" __global__ void straight_line_mixed(const float* __restrict__ input, float* __restrict__ out, int repeats) {
    __shared__ float table[1024];
    for (int i = threadIdx.x; i < 1024; i += BLOCK_SIZE) table[i] = input[i];
    __syncthreads();
    unsigned at = threadIdx.x;
    float x = 1.0f, y = 2.0f;
#pragma unroll 1
    for (int r = 0; r < repeats; ++r) {
#pragma unroll
        for (int k = 0; k < BODY; ++k) {
            x = x * 0.999f + table[at & 1023];
            at = at * 5u + 32u * k;
            y = fmaxf(y * 1.001f, x - k);
            at ^= at >> 5;
        }
    }
    out[blockIdx.x * BLOCK_SIZE + threadIdx.x] = x + y;
}
