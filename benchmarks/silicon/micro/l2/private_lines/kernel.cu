// Every thread walks its own slice of n floats, `stride` floats behind its neighbour's; an element is one load, one
// reciprocal square root and eight dependent FP32 operations. A warp's load touches a sector of each of 32 lines, and
// L1 and L2 must keep all threads' lines until their 32 floats are used.
extern "C" __global__ void private_lines(const float* __restrict__ data, float* __restrict__ out, int n, int stride) {
    const int thread = blockIdx.x * 256 + threadIdx.x;
    const float* slice = data + static_cast<long long>(thread) * stride;
    float sum = 0.0f;
#pragma unroll UNROLL
    for (int i = 0; i < n; ++i) {
        const float x = slice[i];
        const float r = rsqrtf(x);
        sum += r;
        sum *= 0.99f;
        sum += x * 0.5f;
        sum -= x * 0.1f;
        sum *= 1.01f;
        sum += x * x * 0.01f;
        sum -= r * 0.5f;
        sum += 0.001f;
    }
    out[thread] = sum;
}
