// MurmurHash3 of keys of WORDS words, a key a thread, keys one after the other or interleaved word by word.
__device__ __forceinline__ unsigned rotate(unsigned x, int r) { return x << r | x >> (32 - r); }

extern "C" __global__ void murmur_rows(const unsigned* __restrict__ keys, unsigned* __restrict__ hashes, int count)
{
    const int i = blockIdx.x * THREADS + threadIdx.x;
    if (i >= count) return;
    unsigned h = 42;
    auto add = [&](unsigned k) {
        k *= 0xcc9e2d51u;
        k = rotate(k, 15) * 0x1b873593u;
        h = rotate(h ^ k, 13) * 5 + 0xe6546b64u;
    };
#if LAYOUT == 0
    for (int w = 0; w < WORDS; ++w) add(keys[(size_t)i * WORDS + w]);
#elif LAYOUT == 1
    const uint4* own = reinterpret_cast<const uint4*>(keys) + (size_t)i * (WORDS / 4);
#pragma unroll 4
    for (int w = 0; w < WORDS / 4; ++w) {
        const uint4 k = own[w];
        add(k.x);
        add(k.y);
        add(k.z);
        add(k.w);
    }
#else
#pragma unroll 8
    for (int w = 0; w < WORDS; ++w) add(keys[(size_t)w * count + i]);
#endif
    h ^= WORDS * 4;
    h ^= h >> 16;
    h *= 0x85ebca6bu;
    h ^= h >> 13;
    h *= 0xc2b2ae35u;
    hashes[i] = h ^ h >> 16;
}
