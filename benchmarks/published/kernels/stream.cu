// What gpu-stream of RRZE gpu-benches times, one double a thread: init a = s, read a, scale a = s b, triad a = b + s c.
extern "C" __global__ void stream(double* __restrict__ a, const double* __restrict__ b, const double* __restrict__ c) {
    long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
#if defined(INIT)
    a[i] = 1.1;
#elif defined(READ)
    double read = b[i];
    if (read == 123.0) a[i] = 1.1;
#elif defined(SCALE)
    a[i] = b[i] * 1.2;
#elif defined(COPY)
    a[i] = b[i];
#else
    a[i] = b[i] + 0.1 * c[i];
#endif
}
