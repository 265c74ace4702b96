// 4,194,304 keys of 32 bits.
struct alignas(VEC * 4) Pack { unsigned v[VEC]; };
constexpr int BINS = 1 << BITS, DIGITS = 32 / BITS;

extern "C" __global__ void __launch_bounds__(256)
digit_histograms_all_passes(const Pack* __restrict__ keys, unsigned* __restrict__ counts)
{
    __shared__ unsigned s[COPIES][DIGITS * BINS];
    for (int i = threadIdx.x; i < COPIES * DIGITS * BINS; i += 256) s[i / (DIGITS * BINS)][i % (DIGITS * BINS)] = 0;
    __syncthreads();
    unsigned* mine = s[threadIdx.x % COPIES];
#pragma unroll 4
    for (int i = 0; i < ITEMS / VEC; ++i) {
        const Pack p = keys[(blockIdx.x * (ITEMS / VEC) + i) * 256 + threadIdx.x];
#pragma unroll
        for (int j = 0; j < VEC; ++j)
#pragma unroll
            for (int d = 0; d < DIGITS; ++d) atomicAdd(mine + d * BINS + (p.v[j] >> d * BITS & BINS - 1), 1u);
    }
    __syncthreads();
    for (int i = threadIdx.x; i < DIGITS * BINS; i += 256) {
        unsigned n = 0;
#pragma unroll
        for (int c = 0; c < COPIES; ++c) n += s[c][i];
        if (n) atomicAdd(counts + i, n);
    }
}
