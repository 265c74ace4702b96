// Backward search of patterns of 24 bases in an index of blocks: counts of four bases, then the block's bases by two bits.
constexpr unsigned N = 134217728u;
constexpr int WORDS = BASES / 16, BLOCK = 4 + WORDS;

__device__ __forceinline__ unsigned rank_of(const unsigned* __restrict__ index, unsigned at, unsigned base)
{
    const unsigned* block = index + (size_t)(at / BASES) * BLOCK;
    const unsigned mask = base * 0x55555555u;
    unsigned count = block[base];
    const int rest = at % BASES;
    unsigned w[WORDS];
    if (WIDE) {
#pragma unroll
        for (int i = 0; i < WORDS; i += 4) {
            const uint4 p = *reinterpret_cast<const uint4*>(block + 4 + i);
            w[i] = p.x;
            w[i + 1] = p.y;
            w[i + 2] = p.z;
            w[i + 3] = p.w;
        }
    }
#pragma unroll
    for (int i = 0; i < WORDS; ++i) {
        const unsigned differ = (WIDE ? w[WIDE ? i : 0] : block[4 + i]) ^ mask;
        unsigned same = ~(differ | differ >> 1) & 0x55555555u;
        const int left = rest - 16 * i;
        same = left >= 16 ? same : left <= 0 ? 0u : same & ((1u << 2 * left) - 1);
        count += __popc(same);
    }
    return count;
}

extern "C" __global__ void __launch_bounds__(THREADS)
fm_index_backward_search(const unsigned* __restrict__ index, const uint2* __restrict__ pattern, const unsigned* __restrict__ starts,
                         uint2* __restrict__ range)
{
    unsigned low[EACH], high[EACH];
    uint2 p[EACH];
#pragma unroll
    for (int e = 0; e < EACH; ++e) {
        p[e] = pattern[(blockIdx.x * EACH + e) * THREADS + threadIdx.x];
        low[e] = 0;
        high[e] = N - 1;
    }
#pragma unroll 1
    for (int s = 0; s < 24; ++s)
#pragma unroll
        for (int e = 0; e < EACH; ++e) {
            const unsigned base = (s < 16 ? p[e].x >> 2 * s : p[e].y >> 2 * (s - 16)) & 3, first = starts[base];
            low[e] = first + rank_of(index, low[e], base) & N - 1;
            high[e] = first + rank_of(index, high[e], base) & N - 1;
        }
#pragma unroll
    for (int e = 0; e < EACH; ++e) range[(blockIdx.x * EACH + e) * THREADS + threadIdx.x] = make_uint2(low[e], high[e]);
}
