// FP32, integer, special-function and conversion work in one body: which unit saturates first.
extern "C" __global__ void mixed_pipes(float* __restrict__ out, unsigned seed, int steps) {
    unsigned k = seed + blockIdx.x * BLOCK_SIZE + threadIdx.x;
    float x = 1.0f, y = 0.5f;
#pragma unroll 4
    for (int s = 0; s < steps; ++s) {
#pragma unroll
        for (int r = 0; r < FLOATS; ++r) x = x * 0.999f + y;
#pragma unroll
        for (int r = 0; r < INTEGERS; ++r) k = (k ^ (k >> 3)) + 0x9e3779b9u;
#if CONVERT
        y = (float)(k & 255) * 0.01f;
#else
        y = rsqrtf(y + 1.0f);
#endif
    }
    out[blockIdx.x * BLOCK_SIZE + threadIdx.x] = x + y + k;
}
