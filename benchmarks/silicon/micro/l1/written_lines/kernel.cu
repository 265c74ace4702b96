// What stores leave in L1 of a region of KIB KiB that a block reads in each round. It writes WRITTEN KiB of other lines,
// the same in each round (FRESH 0) or new ones (FRESH 1), after it has read the region (MIXED 0) or line by line with it
// (MIXED 1); a word of each line (LONE 1) or all of it. IN_PLACE 1: it writes as much of the region itself.
extern "C" __global__ void written_lines(char* __restrict__ data, char* __restrict__ out, unsigned* __restrict__ sums, int rounds) {
    constexpr int words = KIB * 256, written = WRITTEN * 256;
    char* region = data + (size_t)blockIdx.x * words * 4;
    unsigned sum = 0;
#pragma unroll 1
    for (int r = 0; r < rounds; ++r) {
        char* to = IN_PLACE ? region : out + ((size_t)blockIdx.x * (FRESH ? rounds : 1) + (FRESH ? r : 0)) * written * 4;
#pragma unroll 1
        for (int word = threadIdx.x; word < words; word += blockDim.x) {
            unsigned x;
            asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(x) : "l"(region + (size_t)word * 4));
            sum += x;
            if (MIXED && word < written && (!LONE || word % 32 == 0))
                asm volatile("st.global.u32 [%0], %1;" ::"l"(to + (size_t)word * 4), "r"(sum));
        }
        __syncthreads();
        if (!MIXED)
#pragma unroll 1
            for (int word = threadIdx.x; word < written; word += blockDim.x)
                if (!LONE || word % 32 == 0) asm volatile("st.global.u32 [%0], %1;" ::"l"(to + (size_t)word * 4), "r"(sum));
        __syncthreads();
    }
    sums[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
