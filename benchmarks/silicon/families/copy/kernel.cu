// Streaming copy, one vector of WIDTH floats a thread.
#if WIDTH == 1
typedef float Vector;
#elif WIDTH == 2
typedef float2 Vector;
#else
typedef float4 Vector;
#endif

extern "C" __global__ void copy(const Vector* __restrict__ source, Vector* __restrict__ target, int vectors) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < vectors) target[i] = source[i];
}
