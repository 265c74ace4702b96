// Bit-parallel LCS: a pair a thread, a pattern of 64 WORDS letters of two bits, a text of 256. The match masks of the
// four letters are kept in registers or in shared memory, a column a thread.
typedef unsigned long long u64;

extern "C" __global__ void lcs_bits(const unsigned* __restrict__ patterns, const unsigned* __restrict__ texts,
                                    int* __restrict__ lengths)
{
    const int id = blockIdx.x * THREADS + threadIdx.x;
#if MASKS_SHARED
    __shared__ u64 masks[4][WORDS][THREADS];
#define MASK(L, W) masks[L][W][threadIdx.x]
#else
    u64 masks[4][WORDS];
#define MASK(L, W) masks[L][W]
#endif
#pragma unroll
    for (int w = 0; w < WORDS; ++w) {
        u64 low = 0, high = 0;
#pragma unroll
        for (int part = 0; part < 4; ++part) {
            unsigned letters = patterns[(w * 4 + part) * 65536 + id];
            // the even bits and the odd bits of 16 letters
            unsigned even = letters & 0x55555555u, odd = letters >> 1 & 0x55555555u;
            even = (even | even >> 1) & 0x33333333u; odd = (odd | odd >> 1) & 0x33333333u;
            even = (even | even >> 2) & 0x0F0F0F0Fu; odd = (odd | odd >> 2) & 0x0F0F0F0Fu;
            even = (even | even >> 4) & 0x00FF00FFu; odd = (odd | odd >> 4) & 0x00FF00FFu;
            even = (even | even >> 8) & 0xFFFFu;     odd = (odd | odd >> 8) & 0xFFFFu;
            low |= (u64)even << (16 * part);
            high |= (u64)odd << (16 * part);
        }
        MASK(0, w) = ~low & ~high;
        MASK(1, w) = low & ~high;
        MASK(2, w) = ~low & high;
        MASK(3, w) = low & high;
    }
    u64 v[WORDS];
#pragma unroll
    for (int w = 0; w < WORDS; ++w) v[w] = ~0ULL;
    for (int t = 0; t < 16; ++t) {
        unsigned letters = texts[t * 65536 + id];
        for (int i = 0; i < 16; ++i, letters >>= 2) {
            const int c = letters & 3;
            u64 carry = 0;
#pragma unroll
            for (int w = 0; w < WORDS; ++w) {
#if MASKS_SHARED
                const u64 m = MASK(c, w);
#else
                const u64 m = c & 2 ? (c & 1 ? MASK(3, w) : MASK(2, w)) : (c & 1 ? MASK(1, w) : MASK(0, w));
#endif
                const u64 u = v[w] & m, s = v[w] + u, sum = s + carry;
                carry = (s < u) | (sum < s);
                v[w] = sum | (v[w] & ~m);
            }
        }
    }
    int zeros = 0;
#pragma unroll
    for (int w = 0; w < WORDS; ++w) zeros += __popcll(~v[w]);
    lengths[id] = zeros;
}
