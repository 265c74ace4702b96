// Numbers below a bound copied to the end of a list: room is taken from a counter once a warp or once a block. The
// list is a ring, so that launches may go on where the last one ended.
extern "C" __global__ void aggregated_filter(const float* __restrict__ given, float* __restrict__ ring,
                                             unsigned* __restrict__ counter, float bound, unsigned mask)
{
    const int lane = threadIdx.x & 31;
#if BY_BLOCK
    __shared__ unsigned many, base;
#endif
#pragma unroll
    for (int k = 0; k < ITEMS; ++k) {
        const float v = given[(size_t)(blockIdx.x * ITEMS + k) * THREADS + threadIdx.x];
        const bool keep = v < bound;
        const unsigned votes = __ballot_sync(0xffffffff, keep);
        unsigned place = __popc(votes & ((1u << lane) - 1)), start = 0;
#if BY_BLOCK
        if (threadIdx.x == 0) many = 0;
        __syncthreads();
        if (lane == 0 && votes) start = atomicAdd(&many, __popc(votes));
        __syncthreads();
        if (threadIdx.x == 0) base = atomicAdd(counter, many);
        __syncthreads();
        place += base;
#else
        if (lane == 0 && votes) start = atomicAdd(counter, __popc(votes));
#endif
        place += __shfl_sync(0xffffffff, start, 0);
        if (keep) ring[place & mask] = v;
    }
}
