// A loop body of LENGTH FMAs without a branch: 16 bytes of code each, 8 KB to 256 KB.
extern "C" __global__ void straight_line(float* __restrict__ out, float a, float b, int repeats) {
    constexpr int length = LENGTH / 4;
    float w = threadIdx.x, x = w + 1.0f, y = w + 2.0f, z = w + 3.0f;
#pragma unroll 1
    for (int r = 0; r < repeats; ++r) {
#pragma unroll
        for (int k = 0; k < length; ++k) {
            w = w * a + b;
            x = x * a + b;
            y = y * a + b;
            z = z * a + b;
        }
    }
    out[blockIdx.x * BLOCK_SIZE + threadIdx.x] = w + x + y + z;
}
