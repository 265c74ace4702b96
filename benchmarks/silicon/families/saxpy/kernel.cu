// y = a x + y; each thread handles UNROLL elements that lie a whole grid apart.
extern "C" __global__ void saxpy(const float* __restrict__ x, float* __restrict__ y, float a, int n) {
    constexpr int unroll = UNROLL;
    int threads = gridDim.x * blockDim.x;
    int first = blockIdx.x * blockDim.x + threadIdx.x;
#pragma unroll unroll
    for (int k = 0; k < unroll; ++k) {
        int i = first + k * threads;
        if (i < n) y[i] = a * x[i] + y[i];
    }
}
