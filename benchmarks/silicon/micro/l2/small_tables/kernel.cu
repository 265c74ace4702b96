// Loads past L1 of random words of a table: groups of lanes read words in a row, four loads of a warp are on their way together.
#define LOADS 4

__device__ unsigned mixed(unsigned x) {
    x ^= x >> 16;
    x *= 0x7feb352du;
    x ^= x >> 15;
    x *= 0x846ca68bu;
    return x ^ x >> 16;
}

extern "C" __global__ void small_tables(const float* table, float* out, unsigned groups, int steps) {
    const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned number = thread / GROUP * steps;
    float sum = 0;
#pragma unroll 1
    for (int step = 0; step < steps; step += LOADS) {
        float word[LOADS];
#pragma unroll
        for (int k = 0; k < LOADS; ++k) {
            word[k] = __ldcg(&table[__umulhi(mixed(number + k), groups) * GROUP + thread % GROUP]);
        }
#pragma unroll
        for (int k = 0; k < LOADS; ++k) sum += word[k];
        number += LOADS;
    }
    out[thread] = sum;
}
