// What L1 keeps of a region that a block reads again and again, all of it in each round: KIB KiB of lines, whole ones
// (LONE 0) or a word of each, a lane a line (LONE 1). Between two lines of the region APART - 1 others are left out.
extern "C" __global__ void capacity(const char* __restrict__ data, unsigned* __restrict__ out, int rounds) {
    constexpr int lines = KIB * 8;
    const char* region = data + (size_t)blockIdx.x * lines * APART * 128;
    unsigned sum = 0;
#pragma unroll 1
    for (int r = 0; r < rounds; ++r) {
#if LONE
        for (int line = threadIdx.x; line < lines; line += blockDim.x) {
            const char* at = region + (size_t)line * APART * 128;
#else
        for (int word = threadIdx.x; word < lines * 32; word += blockDim.x) {
            const char* at = region + (size_t)(word / 32) * APART * 128 + word % 32 * 4;
#endif
            unsigned x;
            asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(x) : "l"(at));
            sum += x;
        }
        __syncthreads();
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
