// Mismatches of patterns of 32 bases at all 16 places of a word, by exclusive or and population count.
constexpr int TILE = THREADS * WORDS, N = 4194304;

extern "C" __global__ void __launch_bounds__(THREADS)
dna_mismatch_2bit(const unsigned* __restrict__ bases, const unsigned* __restrict__ pattern, unsigned short* __restrict__ hits)
{
    __shared__ unsigned kept[STAGED ? TILE + 2 : 1];
    const int base = blockIdx.x * TILE;
    if (STAGED) {
        for (int i = threadIdx.x; i < TILE + 2; i += THREADS) kept[STAGED ? i : 0] = bases[base + i];
        __syncthreads();
    }
#pragma unroll 1
    for (int w = 0; w < WORDS; ++w) {
        const int at = w * THREADS + threadIdx.x;
        unsigned v[3];
#pragma unroll
        for (int i = 0; i < 3; ++i) v[i] = STAGED ? kept[STAGED ? at + i : 0] : bases[base + at + i];
#pragma unroll
        for (int p = 0; p < PATTERNS; ++p) {
            const unsigned low = pattern[2 * p], high = pattern[2 * p + 1];
            unsigned found = 0;
#pragma unroll
            for (int s = 0; s < 16; ++s) {
                unsigned a = (s ? __funnelshift_r(v[0], v[1], 2 * s) : v[0]) ^ low, b = (s ? __funnelshift_r(v[1], v[2], 2 * s) : v[1]) ^ high;
                a = (a | a >> 1) & 0x55555555u;
                b = (b | b >> 1) & 0x55555555u;
                found |= (unsigned)(__popc(a | b << 1) <= 17) << s;
            }
            hits[p * N + base + at] = found;
        }
    }
}
