// Throughput of loads against how many are in flight: every thread reads UNROLL independent vectors of WIDTH words a step
// from a footprint a block (L1) or from all the data (L2).
#if WIDTH == 1
typedef unsigned Vector;
#elif WIDTH == 2
typedef uint2 Vector;
#else
typedef uint4 Vector;
#endif

__device__ unsigned fold(unsigned v) { return v; }
__device__ unsigned fold(uint2 v) { return v.x ^ v.y; }
__device__ unsigned fold(uint4 v) { return v.x ^ v.y ^ v.z ^ v.w; }

extern "C" __global__ void load_parallelism(const Vector* data, long long* __restrict__ cycles, unsigned* __restrict__ sink,
                                            int words, int steps) {
    int vectors = words / WIDTH;
    const Vector* mine = data + (IN_L1 ? 0 : (blockIdx.x * 4096) % vectors);
    unsigned sum = 0;
    long long first = 0;
#pragma unroll 1
    for (int pass = 0; pass < 2; ++pass) {
        __syncthreads();
        first = clock64();
        int at = threadIdx.x;
#pragma unroll 1
        for (int s = 0; s < steps; ++s) {
#pragma unroll
            for (int k = 0; k < UNROLL; ++k) {
                int i = at + k * blockDim.x;
                sum ^= fold(mine[IN_L1 ? i & 1023 : i & (vectors / 2 - 1)]);
            }
            at += UNROLL * blockDim.x;
        }
    }
    cycles[blockIdx.x * blockDim.x + threadIdx.x] = clock64() - first;
    sink[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
