// Two-dimensional convolution, weights in constant memory, OUTPUTS pixels of a row a thread.
__constant__ float weights[49] = {
    0.01f, 0.02f, 0.03f, 0.04f, 0.03f, 0.02f, 0.01f, 0.02f, 0.03f, 0.04f, 0.05f, 0.04f, 0.03f, 0.02f, 0.03f, 0.04f, 0.05f,
    0.06f, 0.05f, 0.04f, 0.03f, 0.04f, 0.05f, 0.06f, 0.07f, 0.06f, 0.05f, 0.04f, 0.03f, 0.04f, 0.05f, 0.06f, 0.05f, 0.04f,
    0.03f, 0.02f, 0.03f, 0.04f, 0.05f, 0.04f, 0.03f, 0.02f, 0.01f, 0.02f, 0.03f, 0.04f, 0.03f, 0.02f, 0.01f};

extern "C" __global__ void convolution_constant(const float* __restrict__ input, float* __restrict__ out, int width,
                                                int padded_width) {
    int x = blockIdx.x * (BLOCK_X * OUTPUTS) + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
#pragma unroll
    for (int o = 0; o < OUTPUTS; ++o) {
        float sum = 0.0f;
#pragma unroll
        for (int i = 0; i < FILTER; ++i)
#pragma unroll
            for (int j = 0; j < FILTER; ++j)
                sum += weights[i * FILTER + j] * input[(y + i) * padded_width + x + o * BLOCK_X + j];
        out[y * width + x + o * BLOCK_X] = sum;
    }
}
