// Reads and writes of as many bytes in three orders: neighbouring blocks neighbouring stretches, all over the arrays
// together (ORDER 0); each block a row of CHUNK bytes at a time (1), or a tile of an image, CHUNK bytes of 512 in each
// of its lines of 8 KiB (2). Each warp reads LOADS stretches of 512 bytes, waits for all of them, and writes them.
constexpr unsigned STRETCH = 512, LINE = 8192, BLOCK_WARPS = 8;

__device__ unsigned place(unsigned step) {
#if ORDER == 0
    return (step * gridDim.x + blockIdx.x) * BLOCK_WARPS * STRETCH;
#else
    constexpr unsigned steps = CHUNK / STRETCH / BLOCK_WARPS;
    const unsigned chunk = blockIdx.x + step / steps * gridDim.x;
    step %= steps;
#if ORDER == 1
    return chunk * CHUNK + step * BLOCK_WARPS * STRETCH;
#else
    constexpr unsigned across = LINE / STRETCH;
    return chunk / across * across * CHUNK + chunk % across * STRETCH + step * BLOCK_WARPS * LINE;
#endif
#endif
}

extern "C" __global__ void __launch_bounds__(256)
    copy_order(const char* __restrict__ input, char* __restrict__ out, unsigned steps) {
    const unsigned warp = threadIdx.x / 32 * (ORDER == 2 ? LINE : STRETCH), lane = threadIdx.x % 32 * 16;
#pragma unroll 1
    for (unsigned step = 0; step < steps; step += LOADS) {
        uint4 value[LOADS];
        unsigned all = 0;
#pragma unroll
        for (int k = 0; k < LOADS; ++k) {
            const char* at = input + place(step + k) + warp + lane;
            asm volatile("ld.global.v4.u32 {%0, %1, %2, %3}, [%4];"
                         : "=r"(value[k].x), "=r"(value[k].y), "=r"(value[k].z), "=r"(value[k].w)
                         : "l"(at));
        }
#pragma unroll
        for (int k = 0; k < LOADS; ++k) all |= value[k].x | value[k].y | value[k].z | value[k].w;
        // Never taken: it keeps what follows behind the loads.
        asm volatile("{.reg .pred p; setp.eq.u32 p, %0, 0xffffffff; @p exit;}" ::"r"(all) : "memory");
#if STORES
#pragma unroll
        for (int k = 0; k < LOADS; ++k) *(uint4*)(out + place(step + k) + warp + lane) = value[k];
#endif
    }
}
