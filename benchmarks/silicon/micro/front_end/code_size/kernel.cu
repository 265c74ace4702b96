// Cycles of a straight line of LENGTH FMAs (16 bytes each) in four chains, run eight times: the instruction caches.
extern "C" __global__ void code_size(long long* __restrict__ cycles, float* __restrict__ sink, float a, float b) {
    float w = threadIdx.x, x = w + 1.0f, y = w + 2.0f, z = w + 3.0f;
    __syncthreads();
    long long first = 0, cold = clock64();
#pragma unroll 1
    for (int pass = 0; pass < 9; ++pass) {
        if (pass == 1) {
            __syncthreads();
            first = clock64();
        }
#pragma unroll
        for (int k = 0; k < LENGTH / 4; ++k) {
            w = w * a + b;
            x = x * a + b;
            y = y * a + b;
            z = z * a + b;
        }
    }
    __syncthreads();
    cycles[2 * (blockIdx.x * blockDim.x + threadIdx.x)] = clock64() - first;
    cycles[2 * (blockIdx.x * blockDim.x + threadIdx.x) + 1] = first - cold;
    sink[blockIdx.x * blockDim.x + threadIdx.x] = w + x + y + z;
}
