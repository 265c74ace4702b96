// Between barriers, warp w does work in proportion to w: the others wait.
extern "C" __global__ void barrier_imbalance(float* __restrict__ out, int rounds) {
    float x = threadIdx.x * 1e-3f;
    int mine = 1 + threadIdx.x / 32 * SKEW;
    for (int r = 0; r < rounds; ++r) {
        for (int k = 0; k < mine; ++k) {
            x = x * 0.999f + 0.001f;
            x = x * 1.001f - 0.001f;
            x = x * 0.998f + 0.002f;
            x = x * 1.002f - 0.002f;
        }
        __syncthreads();
    }
    out[blockIdx.x * BLOCK_SIZE + threadIdx.x] = x;
}
