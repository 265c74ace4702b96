// How long reads from DRAM take beside writes: each warp reads LOADS lines (WIDTH words a lane), waits for all of them,
// writes STORES lines, and goes on with the next. With BARRIER the block meets before it writes.

__device__ unsigned read(const unsigned* at) {
    unsigned value;
#if WIDTH == 1
    asm volatile("ld.global.u32 %0, [%1];" : "=r"(value) : "l"(at));
#else
    unsigned b, c, d;
    asm volatile("ld.global.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(value), "=r"(b), "=r"(c), "=r"(d) : "l"(at));
    value |= b | c | d;
#endif
    return value;
}

__device__ void write(unsigned* at, unsigned value) {
#if WIDTH == 1
    asm volatile("st.global.u32 [%0], %1;" ::"l"(at), "r"(value));
#else
    asm volatile("st.global.v4.u32 [%0], {%1, %1, %1, %1};" ::"l"(at), "r"(value));
#endif
}

extern "C" __global__ void copy_latency(const unsigned* __restrict__ input, unsigned* __restrict__ out, unsigned words) {
    const unsigned threads = gridDim.x * blockDim.x * WIDTH;
    unsigned at = (blockIdx.x * blockDim.x + threadIdx.x) * WIDTH;
#pragma unroll 1
    for (; at < words; at += LOADS * threads) {
        unsigned value[LOADS], all = 0;
#pragma unroll
        for (int k = 0; k < LOADS; ++k) value[k] = read(input + at + k * threads);
#pragma unroll
        for (int k = 0; k < LOADS; ++k) all |= value[k];
        // Never taken: it keeps what follows behind the loads.
        asm volatile("{.reg .pred p; setp.eq.u32 p, %0, 0xffffffff; @p exit;}" ::"r"(all) : "memory");
#if BARRIER
        __syncthreads();
#endif
#pragma unroll
        for (int k = 0; k < STORES; ++k) write(out + at + k * threads, all);
    }
}
