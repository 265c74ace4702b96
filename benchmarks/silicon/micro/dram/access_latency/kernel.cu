// Latency of loads at random lines, one warp an SM: LOADS independent ones at once, each of blockDim.x lanes and WIDTH
// words a lane. LEVEL 0: L1; 1: L2, every line read before by every SM; 2: L2, every line read before by one SM; 3: L2,
// every line written before by one SM; 4: DRAM. LEVEL 5 loads nothing: what the two clocks and the test between them take. `trace` counts the samples of each
// number of cycles; `trace_sms` has each block's SM and the sum of its cycles.
#define BINS 4096

__device__ unsigned load(const unsigned* at) {
    unsigned value;
#if LEVEL < 5 && WIDTH == 1
    asm volatile("ld.global.u32 %0, [%1];" : "=r"(value) : "l"(at));
#elif LEVEL < 5 && WIDTH == 2
    unsigned b;
    asm volatile("ld.global.v2.u32 {%0, %1}, [%2];" : "=r"(value), "=r"(b) : "l"(at));
#elif LEVEL < 5
    unsigned b, c, d;
    asm volatile("ld.global.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(value), "=r"(b), "=r"(c), "=r"(d) : "l"(at));
#else
    asm volatile("mov.u32 %0, %1;" : "=r"(value) : "r"(threadIdx.x));
#endif
    return value;
}

// Waits for a value; the branch, never taken, keeps what follows behind it.
__device__ void await(unsigned value) {
    asm volatile("{.reg .pred p; setp.eq.u32 p, %0, 0xffffffff; @p exit;}" ::"r"(value) : "memory");
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

extern "C" __global__ void access_latency(unsigned* data, unsigned* __restrict__ trace,
                                          long long* __restrict__ trace_sms, unsigned* arrived, unsigned lines, int samples) {
    __shared__ unsigned histogram[BINS];
    for (int i = threadIdx.x; i < BINS; i += blockDim.x) histogram[i] = 0;
    // Warm the caches, or for DRAM only the translation of addresses.
    unsigned first = LEVEL == 2 || LEVEL == 3 ? blockIdx.x : 0, sum = 0;
    unsigned step = LEVEL == 2 || LEVEL == 3 ? gridDim.x : LEVEL == 4 ? 16384 : 1;
#pragma unroll 8
    for (unsigned line = first; line < lines; line += step) {
        unsigned* at = data + line * 32 + threadIdx.x;
        if (LEVEL == 3) *at = line * 32 + threadIdx.x;
        else sum += LEVEL == 0 ? load(at) : __ldcg(at);
    }
    await(sum | 1u << 30);
    meet(arrived);

    unsigned random = blockIdx.x * 0x9E3779B9u + 12345u;
    long long total = 0;
#pragma unroll 1
    for (int s = -16; s < samples; ++s) {
        const unsigned* at[LOADS];
        unsigned value[LOADS], all = 0;
#pragma unroll
        for (int k = 0; k < LOADS; ++k) {
            random = random * 1664525u + 1013904223u;
            at[k] = data + ((random >> 9 & (lines - 1)) & ~(WIDTH - 1)) * 32 + threadIdx.x * WIDTH;
        }
        __syncthreads();
        long long begin = clock64();
#pragma unroll
        for (int k = 0; k < LOADS; ++k) value[k] = load(at[k]);
#pragma unroll
        for (int k = 0; k < LOADS; ++k) all |= value[k];
        await(all);
        long long cycles = clock64() - begin;
        if (s >= 0) {
            total += cycles;
            if (threadIdx.x == 0) atomicAdd(&histogram[min(cycles, BINS - 1LL)], 1);
        }
    }
    __syncthreads();
    for (int i = threadIdx.x; i < BINS; i += blockDim.x)
        if (histogram[i]) atomicAdd(&trace[i], histogram[i]);
    if (threadIdx.x == 0) {
        unsigned sm;
        asm("mov.u32 %0, %%smid;" : "=r"(sm));
        trace_sms[blockIdx.x * 2] = sm;
        trace_sms[blockIdx.x * 2 + 1] = total;
    }
}
