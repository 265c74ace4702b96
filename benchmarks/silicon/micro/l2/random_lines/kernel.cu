// Reads of a table at random by all SMs: LANES neighbouring lanes read words in a row, each such group somewhere else. `SKEW` 1 is uniform;
// with 3 the first eighth of the table gets half of the reads.
#define READS 32

__device__ unsigned mixed(unsigned x) {
    x ^= x >> 16;
    x *= 0x7feb352du;
    x ^= x >> 15;
    x *= 0x846ca68bu;
    return x ^ x >> 16;
}

extern "C" __global__ void random_lines(const float* table, float* out, unsigned groups) {
    const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
#pragma unroll 8
    for (unsigned k = 0; k < READS; ++k) {
        unsigned at = mixed(thread / LANES * READS + k);
#if SKEW == 3
        at = __umulhi(__umulhi(at, at), at);
#endif
        sum += table[__umulhi(at, groups) * LANES + thread % LANES];
    }
    out[thread] = sum;
}
