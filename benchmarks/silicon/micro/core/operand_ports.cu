// Sixteen FMA chains over eight inputs; `ports.py` rewrites the registers of the FFMAs in the compiled loop.
extern "C" __global__ void operand_ports(long long* __restrict__ cycles, float* __restrict__ sink,
                                         const float* __restrict__ in) {
    float x[16], a[8];
#pragma unroll
    for (int k = 0; k < 8; ++k) a[k] = in[threadIdx.x + k];
#pragma unroll
    for (int c = 0; c < 16; ++c) x[c] = threadIdx.x + c;
    long long first = 0;
#pragma unroll 1
    for (int pass = 0; pass < 2; ++pass) {
        __syncthreads();
        first = clock64();
#pragma unroll 1
        for (int r = 0; r < 64; ++r) {
#pragma unroll
            for (int k = 0; k < 8; ++k)
#pragma unroll
                for (int c = 0; c < 16; ++c) x[c] = x[c] * a[k] + a[(k + c) & 7];
        }
        __syncthreads();
    }
    cycles[blockIdx.x * blockDim.x + threadIdx.x] = clock64() - first;
    float sum = 0.0f;
#pragma unroll
    for (int c = 0; c < 16; ++c) sum += x[c];
    sink[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
