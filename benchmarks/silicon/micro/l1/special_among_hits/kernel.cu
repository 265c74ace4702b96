// Rounds of eight loads that hit L1, 32 words in a row each, and SPECIAL reads of a special register: KIND 0 to a register (S2R),
// 1 to a uniform one (S2UR), 2 shuffles, 3 shared loads in their place, 4 constants at an address in a register (LDC).
__constant__ unsigned table[64];
extern "C" __global__ void special_among_hits(const char* __restrict__ data, unsigned* __restrict__ out, int rounds) {
    __shared__ unsigned words[64];
    words[threadIdx.x % 64] = threadIdx.x;
    __syncthreads();
    const unsigned here = static_cast<unsigned>(__cvta_generic_to_shared(words)) + threadIdx.x % 32 * 4;
    const char* at = data + threadIdx.x % 32 * 4;
    unsigned sum = 0, index = rounds & 3;
#pragma unroll 1
    for (int r = 0; r < rounds; ++r) {
        unsigned x[8], y[SPECIAL + 1];
#pragma unroll
        for (int k = 0; k < 8; ++k) {
            x[k] = 0;
            if (OF == 1) asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(x[k]) : "l"(at + k * 128));
            if (OF == 2) asm volatile("ld.volatile.shared.u32 %0, [%1];" : "=r"(x[k]) : "r"(here));
            if (OF == 3) asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(x[k]) : "l"(at + k * 128 + threadIdx.x % 32 * 128));
            if (k < SPECIAL) {
                if (KIND == 0) asm volatile("mov.u32 %0, %%smid;" : "=r"(y[k]));
                if (KIND == 1) asm volatile("mov.u32 %0, %%warpid;" : "=r"(y[k]));
                if (KIND == 2) asm volatile("shfl.sync.bfly.b32 %0, %1, %2, 31, 0xffffffff;" : "=r"(y[k]) : "r"(sum), "r"(k + 1));
                if (KIND == 3) asm volatile("ld.volatile.shared.u32 %0, [%1];" : "=r"(y[k]) : "r"(here));
                if (KIND == 4) y[k] = table[(index + k) & 63];
            }
        }
#pragma unroll
        for (int k = 0; k < 8; ++k) sum += x[k] + (k < SPECIAL ? y[k] : 0);
        at += sum >> 31;
        index += sum >> 31;
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
