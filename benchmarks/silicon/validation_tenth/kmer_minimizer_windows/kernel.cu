// 16 bases of two bits a word; a piece begins at every base.
constexpr int BLOCK = PER * THREADS, ALL = BLOCK + WINDOW;

__device__ __forceinline__ unsigned mixed(unsigned k)
{
    k ^= k >> 16;
    k *= 0x7feb352du;
    k ^= k >> 15;
    k *= 0x846ca68bu;
    return k ^ k >> 16;
}

__device__ __forceinline__ unsigned piece(const unsigned* __restrict__ bases, int at)
{
    return __funnelshift_r(bases[at / 16], bases[at / 16 + 1], at % 16 * 2) & 0x3fffffffu;
}

extern "C" __global__ void __launch_bounds__(THREADS)
kmer_minimizer_windows(const unsigned* __restrict__ bases, unsigned* __restrict__ least)
{
    __shared__ unsigned hashes[STAGED ? ALL : 1];
    const int base = blockIdx.x * BLOCK;
    unsigned h[PER + WINDOW - 1];
    if (STAGED) {
        for (int i = threadIdx.x; i < ALL; i += THREADS) hashes[i] = mixed(piece(bases, base + i));
        __syncthreads();
#pragma unroll
        for (int i = 0; i < PER + WINDOW - 1; ++i) h[i] = hashes[STAGED ? threadIdx.x * PER + i : 0];
    } else {
#pragma unroll
        for (int i = 0; i < PER + WINDOW - 1; ++i) h[i] = mixed(piece(bases, base + threadIdx.x * PER + i));
    }
    unsigned common = h[PER - 1];
#pragma unroll
    for (int i = PER; i < WINDOW; ++i) common = min(common, h[i]);
#pragma unroll
    for (int p = 0; p < PER; p += 4) {
        unsigned m[4];
#pragma unroll
        for (int q = 0; q < 4; ++q) {
            m[q] = common;
#pragma unroll
            for (int i = p + q; i < PER - 1; ++i) m[q] = min(m[q], h[i]);
#pragma unroll
            for (int i = WINDOW; i < WINDOW + p + q; ++i) m[q] = min(m[q], h[i]);
        }
        *reinterpret_cast<uint4*>(least + base + threadIdx.x * PER + p) = make_uint4(m[0], m[1], m[2], m[3]);
    }
}
