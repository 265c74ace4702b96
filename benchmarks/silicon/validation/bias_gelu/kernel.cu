// GELU of input plus a bias a column: by the error function, or by the usual cubic and tanh.
// One access of VECTOR floats a thread.
struct alignas(4 * VECTOR) Pack { float v[VECTOR]; };

extern "C" __global__ void bias_gelu(const Pack* __restrict__ input, const Pack* __restrict__ bias,
                                     Pack* __restrict__ output, int columns) {
    int i = blockIdx.x * BLOCK_SIZE + threadIdx.x;
    Pack x = input[i], b = bias[i % (columns / VECTOR)];
#pragma unroll
    for (int k = 0; k < VECTOR; ++k) {
        float t = x.v[k] + b.v[k];
        x.v[k] = EXACT ? 0.5f * t * (1.0f + erff(t * 0.70710678f))
                       : 0.5f * t * (1.0f + tanhf(0.79788456f * (t + 0.044715f * t * t * t)));
    }
    output[i] = x;
}
