// Every block repeats its FMA body a random number of times: dynamic refill and the tail of the slowest SM.
extern "C" __global__ void unequal_blocks(const int* __restrict__ work, float* __restrict__ out) {
    int repeats = work[blockIdx.x];
    float x = threadIdx.x * 1e-3f;
    for (int r = 0; r < repeats; ++r) {
#pragma unroll
        for (int k = 0; k < 32; ++k) x = x * 0.999f + 0.001f;
    }
    out[blockIdx.x * BLOCK_SIZE + threadIdx.x] = x;
}
