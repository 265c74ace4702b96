// Steps of the Collatz sequence until 1: trip count by data.
extern "C" __global__ void collatz(const int* __restrict__ start, int* __restrict__ steps) {
    constexpr int unroll = UNROLL;
    int i = blockIdx.x * BLOCK_SIZE + threadIdx.x;
    unsigned value = start[i] + 1;
    int count = 0;
#pragma unroll unroll
    while (value != 1) {
        value = value & 1 ? 3 * value + 1 : value >> 1;
        ++count;
    }
    steps[i] = count;
}
