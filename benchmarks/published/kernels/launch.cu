// One launch of n threads, each of which scales a double, as gpu-small-kernels of RRZE gpu-benches times it.
extern "C" __global__ void launch(double* __restrict__ a, const double* __restrict__ b, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) a[i] = b[i] * 0.25;
}
