// Latency of coalesced loads while the whole GPU streams from L1 (LEVEL 0), L2 (1) or DRAM (2): every warp loads LOADS
// lines (WIDTH words a lane), waits for all, stores STORES lines, and sleeps about IDLE nanoseconds.
// `trace` counts iterations by cycles from the first load to the last arrival, eight cycles a bin;
// `trace_totals` sums over warps: cycles of the last three quarters of the iterations, their number, cycles spent
// waiting; and the most cycles of one warp.
#define BINS 1024

__device__ unsigned load(const unsigned* at) {
    unsigned value;
#if WIDTH == 1
    asm volatile("ld.global.u32 %0, [%1];" : "=r"(value) : "l"(at));
#else
    unsigned b, c, d;
    asm volatile("ld.global.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(value), "=r"(b), "=r"(c), "=r"(d) : "l"(at));
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

extern "C" __global__ void __launch_bounds__(1024, 2)
    loaded_latency(unsigned* data, unsigned* __restrict__ trace, unsigned long long* __restrict__ trace_totals,
                   unsigned* arrived, unsigned lines, int iterations) {
    __shared__ unsigned histogram[BINS];
    for (int i = threadIdx.x; i < BINS; i += blockDim.x) histogram[i] = 0;
    unsigned warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32, warps = gridDim.x * blockDim.x / 32, sum = 0;
    unsigned lane = threadIdx.x % 32;
    // Warm the cache, or for DRAM only the translation of addresses.
    unsigned first = LEVEL == 1 ? warp : 0, step = LEVEL == 0 ? 1 : LEVEL == 1 ? warps : 16384;
    for (unsigned line = first; line < 2 * lines; line += step)
        sum += LEVEL == 0 ? load(data + line * 32 + lane) : __ldcg(data + line * 32 + lane);
    await(sum | 1u << 30);
    meet(arrived);

    long long start = 0, waited = 0;
    unsigned next = LEVEL == 0 ? warp % 32 * WIDTH : warp * WIDTH;
    unsigned stride = LEVEL == 0 ? 4 : warps * WIDTH;
#pragma unroll 1
    for (int i = 0; i < iterations; ++i) {
        if (i == iterations / 4) start = clock64();
        unsigned* at[LOADS];
        unsigned value[LOADS], all = 0;
#pragma unroll
        for (int k = 0; k < LOADS; ++k) {
            at[k] = data + (next & (lines - 1)) * 32 + lane * WIDTH;
            next += stride;
        }
        long long begin = clock64();
#pragma unroll
        for (int k = 0; k < LOADS; ++k) value[k] = load(at[k]);
#pragma unroll
        for (int k = 0; k < LOADS; ++k) all |= value[k];
        await(all);
        long long cycles = clock64() - begin;
        if (i >= iterations / 4) {
            waited += cycles;
            if (lane == 0) atomicAdd(&histogram[min(cycles / 8, BINS - 1LL)], 1);
        }
#pragma unroll
        for (int k = 0; k < STORES; ++k) at[k][lines * 32] = value[k];
#if IDLE
        __nanosleep(IDLE);
#endif
    }
    long long elapsed = clock64() - start;
    __syncthreads();
    for (int i = threadIdx.x; i < BINS; i += blockDim.x)
        if (histogram[i]) atomicAdd(&trace[i], histogram[i]);
    if (lane == 0) {
        atomicAdd(&trace_totals[0], elapsed);
        atomicAdd(&trace_totals[1], iterations - iterations / 4);
        atomicAdd(&trace_totals[2], waited);
        atomicMax(&trace_totals[3], elapsed);
    }
}
