// Additions by atomics: in shared memory, each lane to a word of its own; in global memory, all to one word or each to
// words of its own.
extern "C" __global__ void atomics(unsigned* __restrict__ words, unsigned mask, int steps) {
#ifdef SHARED
    __shared__ unsigned own[1024];
    own[threadIdx.x] = 0;
    __syncthreads();
#pragma unroll 1
    for (int s = 0; s < steps; s += 32) {
#pragma unroll
        for (int k = 0; k < 32; ++k) atomicAdd(own + (threadIdx.x ^ (k & mask)), s);
    }
    __syncthreads();
    words[blockIdx.x * blockDim.x + threadIdx.x] = own[threadIdx.x];
#else
    unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned threads = gridDim.x * blockDim.x;
#pragma unroll 1
    for (int s = 0; s < steps; s += 8) {
#pragma unroll
        for (int k = 0; k < 8; ++k) {
#ifdef SAME
            atomicAdd(words, 1u);
#else
            atomicAdd(words + ((thread + (s + k) * threads) & mask), 1u);
#endif
        }
    }
#endif
}
