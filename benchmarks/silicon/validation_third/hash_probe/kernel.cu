// Lookups in a hash table with open addressing: LANES lanes look at as many neighbouring slots at once, until one has
// the key or is empty (a multiple of eight), or sixteen were seen.
extern "C" __global__ void hash_probe(const unsigned* __restrict__ queries, const uint2* __restrict__ table,
                                      unsigned* __restrict__ found, int count)
{
    const int thread = blockIdx.x * THREADS + threadIdx.x, q = thread / LANES, lane = thread % LANES;
    if (q >= count) return;
    constexpr unsigned MASK = (1u << LOG_TABLE) - 1;
    const unsigned key = queries[q];
    unsigned h = key;
    h ^= h >> 16;
    h *= 0x85EBCA6Bu;
    h ^= h >> 13;
    h *= 0xC2B2AE35u;
    h ^= h >> 16;
    unsigned value = 0xFFFFFFFFu;
    const unsigned group = LANES == 32 ? 0xFFFFFFFFu : ((1u << LANES) - 1) << ((threadIdx.x & 31) / LANES * LANES);
    for (int round = 0; round < 16 / (LANES > 4 ? 4 : LANES); ++round) {
        const uint2 slot = table[(h + round * LANES + lane) & MASK];
        const bool hit = slot.x == key, empty = (slot.x & 7) == 0;
        if (LANES == 1) {
            if (hit) value = slot.y;
            if (hit || empty) break;
        } else {
            if (hit) value = slot.y;
            if (__ballot_sync(group, hit || empty)) break;
        }
    }
#pragma unroll
    for (int m = LANES / 2; m > 0; m >>= 1) value = min(value, __shfl_xor_sync(group, value, m));
    if (lane == 0) found[q] = value;
}
