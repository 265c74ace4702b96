// Loads that hit L1: of 32 lanes, each in a line of its own unless CODE says otherwise. CODE 0: the lines are LINES apart, and lane i
// begins i * STEP bytes further. Else each five bits of it, up to a last 1, are the place of
// a lane's bit in the line's number, so the lines span these bits; lanes that differ in further bits share their line, and lane i reads word i. The eight loads of a round read other words of
// these lines, so that the compiler keeps them all. `step` is 0, which the compiler does not know.
extern "C" __global__ void tag_banks(const char* __restrict__ data, long long* __restrict__ cycles,
                                     unsigned* __restrict__ sink, int step) {
    unsigned lane = threadIdx.x % 32;
#if CODE == 0
    unsigned byte = lane * (LINES * 128 + STEP);
#else
    unsigned line = 0;
#pragma unroll
    for (unsigned code = CODE, bit = 0; code > 1; code >>= 5, ++bit) line |= (lane >> bit & 1) << (code & 31);
    unsigned byte = line * 128 + lane * 4;
#endif
    const char* at[8];
#pragma unroll
    for (int k = 0; k < 8; ++k) at[k] = data + (byte & ~127u) + ((byte + 16 * k) & 127);
    unsigned sum = 0;
    long long first = 0;
#pragma unroll 1
    for (int pass = 0; pass < 2; ++pass) {
        __syncthreads();
        first = clock64();
#pragma unroll 1
        for (int s = 0; s < 16; ++s) {
#pragma unroll
            for (int k = 0; k < 8; ++k) {
                unsigned x = 0;
                asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(x) : "l"(at[k]));
                sum ^= x;
                at[k] += step;
            }
        }
    }
    cycles[threadIdx.x] = clock64() - first;
    sink[threadIdx.x] = sum;
}
