// Lookups in a cuckoo hash table with two places a key and buckets of four: both buckets are read at once, or the
// second if the first lacks the key.
constexpr unsigned BUCKETS = 1u << LOG_BUCKETS;

__device__ __forceinline__ unsigned mix(unsigned h, unsigned seed)
{
    h ^= seed;
    h *= 0x85ebca6bu;
    h ^= h >> 13;
    h *= 0xc2b2ae35u;
    return h ^ h >> 16;
}

__device__ __forceinline__ int slot_of(const uint4& b, unsigned key)
{
    return b.x == key ? 0 : b.y == key ? 1 : b.z == key ? 2 : b.w == key ? 3 : -1;
}

extern "C" __global__ void cuckoo_lookup(const unsigned* __restrict__ queries, const uint4* __restrict__ buckets,
                                         const unsigned* __restrict__ values, unsigned* __restrict__ found, int count)
{
    const int i = blockIdx.x * THREADS + threadIdx.x;
    if (i >= count) return;
    const unsigned key = queries[i], h1 = mix(key, 0x9e3779b9u) % BUCKETS, h2 = mix(key, 0x7feb352du) % BUCKETS;
    unsigned at = 0xffffffffu;
    const uint4 first = buckets[h1];
#if EAGER
    const uint4 second = buckets[h2];
#endif
    int slot = slot_of(first, key);
    if (slot >= 0) {
        at = 4 * h1 + slot;
    } else {
#if !EAGER
        const uint4 second = buckets[h2];
#endif
        slot = slot_of(second, key);
        if (slot >= 0) at = 4 * h2 + slot;
    }
    found[i] = at != 0xffffffffu ? values[at] : at;
}
