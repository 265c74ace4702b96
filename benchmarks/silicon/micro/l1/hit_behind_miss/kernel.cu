// Cycles of a load that hits L1 while another warp's loads miss it: WHERE 0: no such warp; 1: a warp of another
// sub-partition; 2: a warp of the same one; 3: the warp itself, a miss before every eight of the chain's loads.
extern "C" __global__ void hit_behind_miss(const unsigned* __restrict__ near, const unsigned* __restrict__ far,
                                           long long* __restrict__ cycles, unsigned* __restrict__ sink, int steps) {
    const int warp = threadIdx.x / 32;
    unsigned at = 0;
    if (warp == 0) {
        for (int i = 0; i < 64; ++i) asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(at) : "l"(near + at));
        __syncthreads();
        long long taken = 0;
        unsigned missing = threadIdx.x % 32 * 32 + blockIdx.x * 65536;
#pragma unroll 1
        for (int i = 0; i < steps / 8; ++i) {
            unsigned next = 0;
            const long long begin = clock64();
            if (WHERE == 3) asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(next) : "l"(far + missing));
#pragma unroll
            for (int k = 0; k < 8; ++k) asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(at) : "l"(near + at));
            if (at != 12345) taken += clock64() - begin;
            missing += next + 1024;
        }
        cycles[blockIdx.x] = taken;
    } else {
        __syncthreads();
        if (warp == (WHERE == 2 ? 4 : 1) && WHERE) {
            at = threadIdx.x % 32 * 32 + blockIdx.x * 65536;
#pragma unroll 1
            for (int i = 0; i < steps / 16; ++i) {
                unsigned next;
                asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(next) : "l"(far + at));
                at += next + 1024;
            }
        }
    }
    sink[blockIdx.x * blockDim.x + threadIdx.x] = at;
}
