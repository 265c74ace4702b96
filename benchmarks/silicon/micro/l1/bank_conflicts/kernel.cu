// Cycles of a shared-memory access of WIDTH words a lane with lanes STRIDE words apart (a multiple of WIDTH), or all
// lanes on one address (stride 0): loads (OP 0), stores (1), atomic additions (2, one word).
extern "C" __global__ void bank_conflicts(long long* __restrict__ cycles, unsigned* __restrict__ sink) {
    __shared__ uint4 room[2048 + 16];
    for (int i = threadIdx.x; i < 2048; i += blockDim.x) room[i] = make_uint4(i, i, i, i);
    __syncthreads();
    unsigned base = (unsigned)__cvta_generic_to_shared(room) + threadIdx.x % 32 * (STRIDE * 4);
    unsigned sum = 0;
    long long first = 0;
#pragma unroll 1
    for (int pass = 0; pass < 2; ++pass) {
        __syncthreads();
        first = clock64();
#pragma unroll 1
        for (int s = 0; s < 16; ++s) {
#pragma unroll
            for (int k = 0; k < 16; ++k) {
                unsigned x = k, y = k, z = k, w = k;
#if OP == 0 && WIDTH == 1
                asm volatile("ld.volatile.shared.u32 %0, [%1];" : "=r"(x) : "r"(base));
#elif OP == 0 && WIDTH == 2
                asm volatile("ld.volatile.shared.v2.u32 {%0, %1}, [%2];" : "=r"(x), "=r"(y) : "r"(base));
#elif OP == 0
                asm volatile("ld.volatile.shared.v4.u32 {%0, %1, %2, %3}, [%4];"
                             : "=r"(x), "=r"(y), "=r"(z), "=r"(w)
                             : "r"(base));
#elif OP == 1 && WIDTH == 1
                asm volatile("st.volatile.shared.u32 [%0], %1;" ::"r"(base), "r"(x));
#elif OP == 1 && WIDTH == 2
                asm volatile("st.volatile.shared.v2.u32 [%0], {%1, %2};" ::"r"(base), "r"(x), "r"(y));
#elif OP == 1
                asm volatile("st.volatile.shared.v4.u32 [%0], {%1, %2, %3, %4};" ::"r"(base), "r"(x), "r"(y), "r"(z), "r"(w));
#else
                asm volatile("red.shared.add.u32 [%0], %1;" ::"r"(base), "r"(x));
#endif
                sum ^= x ^ y ^ z ^ w;
            }
        }
    }
    cycles[blockIdx.x * blockDim.x + threadIdx.x] = clock64() - first;
    sink[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
