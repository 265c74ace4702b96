// Each thread walks its own chain of dependent loads: a full-period congruential walk over `data`, which holds its own
// index (fill iota), so the address of a load needs the value of the one before.
extern "C" __global__ void pointer_chase(const unsigned* __restrict__ data, unsigned* __restrict__ out, unsigned mask,
                                         int steps) {
    constexpr int unroll = UNROLL;
    unsigned at = (blockIdx.x * BLOCK_SIZE + threadIdx.x) * 2654435761u & mask;
#pragma unroll unroll
    for (int s = 0; s < steps; ++s) at = (data[at] * 1664525u + 1013904223u) & mask;
    out[blockIdx.x * BLOCK_SIZE + threadIdx.x] = at;
}
