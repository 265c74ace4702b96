// Grid-stride maximum and sum in ACCUMULATORS registers, then one global atomic a thread, warp or block.
extern "C" __global__ void reduction_atomic(const float* __restrict__ input, float* __restrict__ out, int n) {
    float sum[ACCUMULATORS] = {};
    int threads = gridDim.x * BLOCK_SIZE;
    int i = blockIdx.x * BLOCK_SIZE + threadIdx.x;
    for (; i + (ACCUMULATORS - 1) * threads < n; i += ACCUMULATORS * threads)
#pragma unroll
        for (int k = 0; k < ACCUMULATORS; ++k) sum[k] += input[i + k * threads];
    for (; i < n; i += threads) sum[0] += input[i];
#pragma unroll
    for (int k = 1; k < ACCUMULATORS; ++k) sum[0] += sum[k];
#if PER_WARP
    for (int offset = 16; offset > 0; offset /= 2) sum[0] += __shfl_down_sync(0xffffffffu, sum[0], offset);
    if (threadIdx.x % 32 == 0) atomicAdd(out, sum[0]);
#else
    atomicAdd(out, sum[0]);
#endif
}
