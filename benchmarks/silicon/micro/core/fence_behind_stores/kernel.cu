// Cycles of a memory fence behind stores (KIND 0), reductions (1) and loads that have arrived (2), COUNT a thread, each of a line of the warp.
// SCOPE 0: block, 1: device, 2: system.
extern "C" __global__ void fence_behind_stores(long long* __restrict__ cycles, unsigned* __restrict__ data, int steps) {
    const int thread = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned* own = data + thread / 32 * 256 + threadIdx.x % 32;
    unsigned sum = 0;
    long long first = 0;
#pragma unroll 1
    for (int pass = 0; pass < 2; ++pass) {
        __syncthreads();
        first = clock64();
#pragma unroll 1
        for (int s = 0; s < steps; ++s) {
#pragma unroll
            for (int k = 0; k < COUNT; ++k) {
#if KIND == 0
                asm volatile("st.global.u32 [%0], %1;" ::"l"(own + k * 32), "r"(s) : "memory");
#elif KIND == 1
                asm volatile("red.global.add.u32 [%0], %1;" ::"l"(own + k * 32), "r"(1) : "memory");
#else
                unsigned x;
                asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(x) : "l"(own + k * 32) : "memory");
                sum += x;
#endif
            }
            if (sum == 12345) own[0] = 0;
#if SCOPE == 0
            __threadfence_block();
#elif SCOPE == 1
            __threadfence();
#else
            __threadfence_system();
#endif
        }
    }
    cycles[thread] = clock64() - first;
}
