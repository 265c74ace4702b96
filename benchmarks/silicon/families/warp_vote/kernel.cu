// Votes, matches and warp reductions over random words.
extern "C" __global__ void warp_vote(const int* __restrict__ input, int* __restrict__ out, int steps) {
    constexpr int unroll = UNROLL;
    constexpr unsigned all = 0xffffffffu;
    int i = blockIdx.x * BLOCK_SIZE + threadIdx.x;
    int value = input[i];
    int sum = 0;
#pragma unroll unroll
    for (int s = 0; s < steps; ++s) {
#if KIND == 0
        sum += __popc(__ballot_sync(all, value & (1 << (s & 15))));
        if (__any_sync(all, value == s)) sum ^= s;
        if (__all_sync(all, value != s)) sum += 3;
#elif KIND == 1
        sum += __popc(__match_any_sync(all, (value >> (s & 7)) & 3));
#else
        sum += __reduce_add_sync(all, value + s) ^ __reduce_max_sync(all, value ^ s);
#endif
    }
    out[i] = sum;
}
