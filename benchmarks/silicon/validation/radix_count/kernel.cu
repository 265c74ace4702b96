// Radix sort, counting: histogram of one digit of each block's keys, in shared memory, written column by column.
// The block shares its counters, or every warp has its own.
extern "C" __global__ void radix_count(const unsigned* __restrict__ keys, unsigned* __restrict__ counts) {
    constexpr int digits = 1 << BITS, copies = PRIVATE_COUNTS ? BLOCK_SIZE / 32 : 1;
    __shared__ unsigned count[copies][digits];
    for (int i = threadIdx.x; i < copies * digits; i += BLOCK_SIZE) (&count[0][0])[i] = 0;
    __syncthreads();
    const unsigned* mine = keys + (size_t)blockIdx.x * BLOCK_SIZE * ITEMS + threadIdx.x;
    unsigned key[ITEMS];
#pragma unroll
    for (int k = 0; k < ITEMS; ++k) key[k] = mine[k * BLOCK_SIZE];
#pragma unroll
    for (int k = 0; k < ITEMS; ++k)
        atomicAdd(&count[PRIVATE_COUNTS ? threadIdx.x / 32 : 0][key[k] >> 8 & (digits - 1)], 1u);
    __syncthreads();
    for (int d = threadIdx.x; d < digits; d += BLOCK_SIZE) {
        unsigned sum = 0;
#pragma unroll
        for (int c = 0; c < copies; ++c) sum += count[c][d];
        counts[d * gridDim.x + blockIdx.x] = sum;
    }
}
