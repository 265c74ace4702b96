// Cycles of asynchronous copies from global to shared memory (cp.async, LDGSTS): BYTES a lane, through L1 (WAY 0, in L1 after
// the first pass) or past it (WAY 1, 16 bytes only: out of L2), 16 in flight, then all waited for. `cycles` has each
// thread's SM cycles of the second pass.
extern "C" __global__ void copy_cadence(const unsigned* __restrict__ data, long long* __restrict__ cycles) {
    extern __shared__ unsigned char room[];
    unsigned shared = (unsigned)__cvta_generic_to_shared(room) + threadIdx.x * BYTES;
    const unsigned char* global = (const unsigned char*)data + threadIdx.x * BYTES;
    long long first = 0;
#pragma unroll 1
    for (int pass = 0; pass < 2; ++pass) {
        __syncthreads();
        first = clock64();
#pragma unroll 1
        for (int s = 0; s < 8; ++s) {
#pragma unroll
            for (int k = 0; k < 16; ++k) {
#if WAY == 0
                asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(shared), "l"(global), "n"(BYTES));
#else
                asm volatile("cp.async.cg.shared.global [%0], [%1], %2;" ::"r"(shared), "l"(global), "n"(BYTES));
#endif
            }
            asm volatile("cp.async.commit_group;");
        }
        asm volatile("cp.async.wait_group 0;");
    }
    cycles[blockIdx.x * blockDim.x + threadIdx.x] = clock64() - first;
}
