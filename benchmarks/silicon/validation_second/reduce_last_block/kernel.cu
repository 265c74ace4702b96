// Single-pass reduction with a fence and a ticket that wraps around by itself. A loop over the grid, VEC floats an
// access.
struct alignas(4 * VEC) Pack { float v[VEC]; };

__device__ float block_sum(float v)
{
    __shared__ float lanes[32];
    for (int o = 16; o; o >>= 1) v += __shfl_down_sync(0xffffffff, v, o);
    if ((threadIdx.x & 31) == 0) lanes[threadIdx.x >> 5] = v;
    __syncthreads();
    v = threadIdx.x < THREADS / 32 ? lanes[threadIdx.x] : 0.0f;
    if (threadIdx.x < 32)
        for (int o = 16; o; o >>= 1) v += __shfl_down_sync(0xffffffff, v, o);
    __syncthreads();
    return v;
}

extern "C" __global__ void reduce_last_block(const Pack* __restrict__ x, volatile float* partials, unsigned* ticket,
                                             float* result)
{
    __shared__ bool last;
    float sum = 0.0f;
    for (int i = blockIdx.x * THREADS + threadIdx.x; i < COUNT / VEC; i += BLOCKS * THREADS) {
        const Pack p = x[i];
#pragma unroll
        for (int k = 0; k < VEC; ++k) sum += p.v[k];
    }
    sum = block_sum(sum);
    if (threadIdx.x == 0) {
        partials[blockIdx.x] = sum;
        __threadfence();
        last = atomicInc(ticket, BLOCKS - 1) == BLOCKS - 1;
    }
    __syncthreads();
    if (last) {
        sum = 0.0f;
        for (int i = threadIdx.x; i < BLOCKS; i += THREADS) sum += partials[i];
        sum = block_sum(sum);
        if (threadIdx.x == 0) *result = sum;
    }
}
