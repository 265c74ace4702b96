// Loads that hit L1, lane i at word (i * STRIDE + OFFSET + salt) of a 64 KB table, WIDTH words each: lines and banks apart from one
// another, since a stride of 33 words touches 32 lines without a bank conflict. PATTERN 1 takes random words instead. `step` is 0, which the compiler does not know.
extern "C" __global__ void l1_patterns(const unsigned* __restrict__ data, long long* __restrict__ cycles,
                                       unsigned* __restrict__ sink, int step) {
    unsigned lane = threadIdx.x % 32;
    unsigned word = lane * STRIDE + OFFSET;
#if PATTERN == 1
    word = (threadIdx.x * 2654435761u >> 7) % 4096u;
#endif
    const unsigned* at = data + word * (PATTERN == 1 ? WIDTH : 1);
    unsigned sum = 0;
    long long first = 0;
#pragma unroll 1
    for (int pass = 0; pass < 2; ++pass) {
        __syncthreads();
        first = clock64();
#pragma unroll 1
        for (int s = 0; s < 8; ++s, at += step) {
#pragma unroll
            for (int k = 0; k < 16; ++k) {
                unsigned x = 0, y = 0, z = 0, w = 0;
#if WIDTH == 1
                asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(x) : "l"(at + k * 4));
#elif WIDTH == 2
                asm volatile("ld.global.ca.v2.u32 {%0, %1}, [%2];" : "=r"(x), "=r"(y) : "l"(at + k * 4));
#else
                asm volatile("ld.global.ca.v4.u32 {%0, %1, %2, %3}, [%4];"
                             : "=r"(x), "=r"(y), "=r"(z), "=r"(w)
                             : "l"(at + k * 4));
#endif
                sum ^= x ^ y ^ z ^ w;
            }
        }
    }
    cycles[threadIdx.x] = clock64() - first;
    sink[threadIdx.x] = sum;
}
