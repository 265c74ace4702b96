// MurmurHash3-like mixing of a streamed array, ROUNDS rounds an element, 32-bit or 64-bit words.
#if WIDE
typedef unsigned long long Word;
constexpr Word first_factor = 0xff51afd7ed558ccdull, second_factor = 0xc4ceb9fe1a85ec53ull;
constexpr int bits = 64;
#else
typedef unsigned Word;
constexpr Word first_factor = 0x85ebca6bu, second_factor = 0xc2b2ae35u;
constexpr int bits = 32;
#endif

extern "C" __global__ void integer_hash(const unsigned* __restrict__ input, unsigned* __restrict__ out, int n) {
    constexpr int unroll = UNROLL;
    int i = blockIdx.x * BLOCK_SIZE + threadIdx.x;
    if (i >= n) return;
    Word h = input[i] + (Word)i;
#pragma unroll unroll
    for (int r = 0; r < ROUNDS; ++r) {
        h ^= h >> (bits / 2 + 1);
        h *= first_factor;
        h = (h << 13) | (h >> (bits - 13));
        h *= second_factor;
        h ^= h >> (bits / 2 - 3);
        h += r;
    }
    out[i] = (unsigned)h;
}
