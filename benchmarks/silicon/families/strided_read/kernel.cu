// Reads every STRIDE-th word, writes densely: sectors and cache lines a request touches.
extern "C" __global__ void strided_read(const float* __restrict__ data, float* __restrict__ out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = data[(long long)i * STRIDE] * 2.0f;
}
