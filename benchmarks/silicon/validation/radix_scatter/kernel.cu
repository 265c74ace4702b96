// Radix sort, scattering: ranks each key among the block's keys of the same digit and writes it to that
// digit's part of the output. Lanes of one digit find each other by match.any or by four ballots.
__device__ unsigned peers(unsigned digit) {
    if (MATCH) return __match_any_sync(~0u, digit);
    unsigned mask = ~0u;
#pragma unroll
    for (int b = 0; b < 4; ++b) {
        unsigned vote = __ballot_sync(~0u, digit >> b & 1);
        mask &= digit >> b & 1 ? vote : ~vote;
    }
    return mask;
}

extern "C" __global__ void radix_scatter(const unsigned* __restrict__ keys, unsigned* __restrict__ output) {
    constexpr int warps = BLOCK_SIZE / 32, tile = BLOCK_SIZE * ITEMS, count = 2097152;
    __shared__ unsigned base[warps][16];
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    for (int i = threadIdx.x; i < warps * 16; i += BLOCK_SIZE) (&base[0][0])[i] = 0;
    __syncthreads();
    unsigned key[ITEMS], mask[ITEMS];
#pragma unroll
    for (int k = 0; k < ITEMS; ++k) key[k] = keys[blockIdx.x * tile + (warp * ITEMS + k) * 32 + lane];
#pragma unroll
    for (int k = 0; k < ITEMS; ++k) {
        unsigned digit = key[k] >> 4 & 15;
        mask[k] = peers(digit);
        if (lane == __ffs(mask[k]) - 1) base[warp][digit] += __popc(mask[k]);
        __syncwarp();
    }
    __syncthreads();
    if (threadIdx.x < 16) {
        unsigned sum = 0;
        for (int w = 0; w < warps; ++w) {
            unsigned c = base[w][threadIdx.x];
            base[w][threadIdx.x] = sum;
            sum += c;
        }
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < ITEMS; ++k) {
        unsigned digit = key[k] >> 4 & 15;
        unsigned rank = base[warp][digit] + __popc(mask[k] & ((1u << lane) - 1));
        __syncwarp();
        if (lane == __ffs(mask[k]) - 1) base[warp][digit] += __popc(mask[k]);
        __syncwarp();
        output[digit * count + blockIdx.x * tile + rank] = key[k];
    }
}
