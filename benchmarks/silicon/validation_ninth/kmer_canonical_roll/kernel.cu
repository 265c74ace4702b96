// A base is a byte of 0 to 3; both pieces are shifted base by base.
typedef unsigned long long u64;

__device__ __forceinline__ unsigned mixed(u64 v)
{
    v ^= v >> 33;
    v *= 0xff51afd7ed558ccdull;
    v ^= v >> 33;
    return (unsigned)(v ^ v >> 32);
}

extern "C" __global__ void __launch_bounds__(THREADS)
kmer_canonical_roll(const unsigned char* __restrict__ base, uint4* __restrict__ hash)
{
    constexpr int SPAN = THREADS * PER + 32;
    __shared__ unsigned words[STAGED ? SPAN / 4 : 1];
    const int first = blockIdx.x * THREADS * PER;
    const unsigned char* from = base + first + threadIdx.x * PER;
    if (STAGED) {
        for (int i = threadIdx.x; i < SPAN / 4; i += THREADS) words[i] = reinterpret_cast<const unsigned*>(base + first)[i];
        __syncthreads();
        from = reinterpret_cast<const unsigned char*>(words) + threadIdx.x * PER;
    }
    constexpr u64 MASK = (1ull << 2 * K) - 1;
    u64 there = 0, back = 0;
#pragma unroll
    for (int i = 0; i < K - 1; ++i) {
        const u64 b = from[i];
        there = there << 2 | b;
        back = back >> 2 | (3 - b) << (2 * K - 2);
    }
    unsigned out[PER];
#pragma unroll
    for (int i = 0; i < PER; ++i) {
        const u64 b = from[K - 1 + i];
        there = (there << 2 | b) & MASK;
        back = back >> 2 | (3 - b) << (2 * K - 2);
        out[i] = mixed(there < back ? there : back);
    }
#pragma unroll
    for (int i = 0; i < PER; i += 4)
        hash[(first + threadIdx.x * PER + i) / 4] = make_uint4(out[i], out[i + 1], out[i + 2], out[i + 3]);
}
