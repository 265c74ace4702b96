// Bases have two bits. A column of the table of distances is two words of differences.
#if BITS == 64
typedef unsigned long long Word;
#else
typedef unsigned Word;
#endif

extern "C" __global__ void __launch_bounds__(THREADS)
myers_distance_words(const unsigned* __restrict__ pattern, const unsigned* __restrict__ text, int* __restrict__ distance)
{
    __shared__ Word masks[TABLE ? 4 : 1][TABLE ? THREADS : 1];
    const int id = blockIdx.x * THREADS + threadIdx.x;
    Word eq[4] = {};
#pragma unroll
    for (int i = 0; i < BITS / 16; ++i) {
        const unsigned w = pattern[INTERLEAVED ? i * 131072 + id : id * (BITS / 16) + i];
#pragma unroll
        for (int j = 0; j < 16; ++j) {
            const unsigned base = w >> 2 * j & 3;
#pragma unroll
            for (unsigned c = 0; c < 4; ++c) eq[c] |= (Word)(base == c) << (16 * i + j);
        }
    }
    if (TABLE)
#pragma unroll
        for (int c = 0; c < 4; ++c) masks[TABLE ? c : 0][TABLE ? threadIdx.x : 0] = eq[c];
    Word up = ~(Word)0, down = 0;
    int d = BITS;
#pragma unroll 1
    for (int i = 0; i < 8; ++i) {
        const unsigned w = text[INTERLEAVED ? i * 131072 + id : id * 8 + i];
#pragma unroll
        for (int j = 0; j < 16; ++j) {
            const unsigned base = w >> 2 * j & 3;
            const Word e = TABLE ? masks[TABLE ? base : 0][TABLE ? threadIdx.x : 0] : base & 2 ? (base & 1 ? eq[3] : eq[2]) : (base & 1 ? eq[1] : eq[0]);
            const Word x = e | down, zero = (((e & up) + up) ^ up) | x;
            Word p = down | ~(zero | up), m = up & zero;
            d += (int)(p >> (BITS - 1) & 1) - (int)(m >> (BITS - 1) & 1);
            p = p << 1 | 1;
            m <<= 1;
            up = m | ~(zero | p);
            down = p & zero;
        }
    }
    distance[id] = d;
}
