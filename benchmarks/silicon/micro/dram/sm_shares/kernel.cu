// When each SM has done an equal part of what all do: reads of ROUNDS times the same bytes, or copies.
// `trace` takes, of each block, the SM and the cycles from when all began.
__device__ unsigned read(const uint4* at) {
    uint4 v;
    asm volatile("ld.global.cg.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w) : "l"(at));
    return v.x | v.y | v.z | v.w;
}

__device__ void meet(unsigned* arrived) {
    __syncthreads();
    if (threadIdx.x == 0) {
        unsigned target = (atomicAdd(arrived, 1) / gridDim.x + 1) * gridDim.x;
        while (*(volatile unsigned*)arrived < target) {
        }
    }
    __syncthreads();
}

extern "C" __global__ void __launch_bounds__(512, 4)
    sm_shares(const uint4* __restrict__ input, uint4* __restrict__ out, unsigned* __restrict__ trace, unsigned* arrived,
              unsigned words) {
    const unsigned threads = gridDim.x * blockDim.x;
    meet(arrived);
    const long long start = clock64();
#pragma unroll 1
    for (int round = 0; round < ROUNDS; ++round)
#pragma unroll 1
        for (unsigned at = blockIdx.x * blockDim.x + threadIdx.x; at < words; at += LOADS * threads) {
            unsigned all = 0, value[LOADS];
#pragma unroll
            for (int k = 0; k < LOADS; ++k) value[k] = read(input + at + k * threads);
#pragma unroll
            for (int k = 0; k < LOADS; ++k) all |= value[k];
            // Never taken: it keeps what follows behind the loads.
            asm volatile("{.reg .pred p; setp.eq.u32 p, %0, 0xffffffff; @p exit;}" ::"r"(all) : "memory");
#if STORES
#pragma unroll
            for (int k = 0; k < LOADS; ++k) out[at + k * threads] = make_uint4(value[k], all, all, all);
#endif
        }
    __syncthreads();
    if (threadIdx.x == 0) {
        unsigned sm;
        asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
        trace[blockIdx.x * 2] = sm;
        trace[blockIdx.x * 2 + 1] = clock64() - start;
    }
}
