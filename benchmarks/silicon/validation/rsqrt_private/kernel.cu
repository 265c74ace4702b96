// Each thread walks its own LENGTH floats in a row: a reciprocal square root and a chain of dependent
// additions and products an element; WITH_SINE adds a fast sine.
extern "C" __global__ void rsqrt_private(const float* __restrict__ data, float* __restrict__ output) {
    constexpr int unroll = UNROLL;
    int thread = blockIdx.x * blockDim.x + threadIdx.x;
    const float* d = data + (size_t)thread * LENGTH;
    float acc = 0.0f;
#pragma unroll unroll
    for (int i = 0; i < LENGTH; ++i) {
        float x = d[i];
        float r = rsqrtf(x);
        acc += r;
        acc *= 0.99f;
        acc += x * 0.5f;
        acc -= x * 0.1f;
        acc *= 1.01f;
        acc += x * x * 0.01f;
        acc -= r * 0.5f;
        if (WITH_SINE) acc += __sinf(x);
        acc += 0.001f;
    }
    output[thread] = acc < 1e30f ? acc : 0.0f;  // a zero among the inputs gives NaN
}
