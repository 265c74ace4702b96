// Numbers are not negative, so their bits are in their order. The sign's bit is not decided.
constexpr int OWN = COLS / THREADS, WARPS = THREADS / 32, TESTS = (1 << BITS) - 1;

extern "C" __global__ void __launch_bounds__(THREADS)
kth_largest_bit_bisect(const unsigned* __restrict__ x, float* __restrict__ kth)
{
    __shared__ int part[2][TESTS][WARPS];
    unsigned f[OWN], found = 0;
#pragma unroll
    for (int i = 0; i < OWN; ++i) f[i] = x[(size_t)blockIdx.x * COLS + i * THREADS + threadIdx.x];
    int turn = 0;
#pragma unroll 1
    for (int shift = BITS == 2 ? 28 : 29; shift >= 0; shift -= BITS) {
#pragma unroll
        for (int t = 0; t < TESTS; ++t) {
            const unsigned test = found | (unsigned)(t + 1) << shift;
            int n = 0;
#pragma unroll
            for (int i = 0; i < OWN; ++i) {
                if (VOTES) n += __popc(__ballot_sync(~0u, f[i] >= test));
                else n += f[i] >= test;
            }
            if (!VOTES)
#pragma unroll
                for (int d = 16; d; d >>= 1) n += __shfl_xor_sync(~0u, n, d);
            if (threadIdx.x % 32 == 0) part[turn][t][threadIdx.x / 32] = n;
        }
        __syncthreads();
        unsigned digit = 0;
#pragma unroll
        for (int t = 0; t < TESTS; ++t) {
            int n = 0;
#pragma unroll
            for (int w = 0; w < WARPS; ++w) n += part[turn][t][w];
            if (n >= 32) digit = t + 1;
        }
        found |= digit << shift;
        turn ^= 1;
    }
    if (threadIdx.x == 0) kth[blockIdx.x] = __uint_as_float(found);
}
