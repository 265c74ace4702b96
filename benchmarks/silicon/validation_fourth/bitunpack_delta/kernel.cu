// Integers packed to BITS bits in groups of 128, a group a warp, four numbers a lane; unpacked straight from memory or
// from shared memory, with DELTA added up from the group's first number.
constexpr int WARPS = THREADS / 32, WORDS = 4 * BITS;

extern "C" __global__ void __launch_bounds__(THREADS)
bitunpack_delta(const unsigned* __restrict__ packed, const unsigned* __restrict__ first, uint4* __restrict__ out, int groups)
{
    const int group = (blockIdx.x * THREADS + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (group >= groups) return;
    const unsigned* from = packed + (size_t)group * WORDS;
#if STAGED
    __shared__ unsigned stage[WARPS][WORDS];
    unsigned* words = stage[threadIdx.x / 32];
    for (int i = lane; i < WORDS; i += 32) words[i] = from[i];
    __syncwarp();
#else
    const unsigned* words = from;
#endif
    unsigned v[4];
#pragma unroll
    for (int k = 0; k < 4; ++k) {
        const int bit = (lane * 4 + k) * BITS, word = bit / 32, shift = bit % 32;
        const unsigned low = words[word], high = words[min(word + 1, WORDS - 1)];
        v[k] = __funnelshift_r(low, high, shift) & ((1u << BITS) - 1);
    }
#if DELTA
#pragma unroll
    for (int k = 1; k < 4; ++k) v[k] += v[k - 1];
    unsigned running = v[3];
#pragma unroll
    for (int d = 1; d < 32; d *= 2) {
        const unsigned other = __shfl_up_sync(0xffffffff, running, d);
        if (lane >= d) running += other;
    }
    const unsigned before = running - v[3] + first[group];
#pragma unroll
    for (int k = 0; k < 4; ++k) v[k] += before;
#endif
    out[(size_t)group * 32 + lane] = make_uint4(v[0], v[1], v[2], v[3]);
}
