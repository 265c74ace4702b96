// Loads of random words of a table: groups of lanes read words in a row, UNROLL loads of a warp are on their way together.
__device__ unsigned mixed(unsigned x) {
    x ^= x >> 16;
    x *= 0x7feb352du;
    x ^= x >> 15;
    x *= 0x846ca68bu;
    return x ^ x >> 16;
}

extern "C" __global__ void random_words(const float* __restrict__ table, float* out, unsigned groups, int steps) {
    const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned number = thread / GROUP * steps;
    float sum = 0;
#pragma unroll 1
    for (int step = 0; step < steps; step += UNROLL) {
        float word[UNROLL];
#pragma unroll
        for (int u = 0; u < UNROLL; ++u) word[u] = table[(mixed(number + u) & groups - 1) * GROUP + thread % GROUP];
#pragma unroll
        for (int u = 0; u < UNROLL; ++u) sum += word[u];
        number += UNROLL;
    }
    out[thread] = sum;
}
