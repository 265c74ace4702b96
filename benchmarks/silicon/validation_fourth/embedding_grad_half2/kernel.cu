// Gradient of an FP16 embedding table by packed atomics, a token's row by DIM / 2 lanes, EACH tokens a thread.
#include <cuda_fp16.h>

constexpr int LANES = DIM / 2;

extern "C" __global__ void embedding_grad_half2(const int* __restrict__ tokens, const __half2* __restrict__ grad,
                                                __half2* __restrict__ table, int count)
{
    const int thread = blockIdx.x * THREADS + threadIdx.x, lane = thread % LANES, first = thread / LANES * EACH;
#pragma unroll
    for (int e = 0; e < EACH; ++e) {
        const int token = first + e;
        if (token < count)
            atomicAdd(table + (size_t)tokens[token] * LANES + lane, grad[(size_t)token * LANES + lane]);
    }
}
