// A quarter of the entries are leaves; other entries name the next node.
constexpr unsigned NODES = 1u << LOG_NODES;

extern "C" __global__ void __launch_bounds__(THREADS)
prefix_trie_lookup(const unsigned* __restrict__ trie, const unsigned* __restrict__ addresses, unsigned* __restrict__ hops)
{
    const int first = blockIdx.x * THREADS * EACH + threadIdx.x;
    unsigned address[EACH], entry[EACH];
#pragma unroll
    for (int e = 0; e < EACH; ++e) {
        address[e] = addresses[first + e * THREADS];
        entry[e] = trie[address[e] >> 24];
    }
#pragma unroll
    for (int level = 1; level < 4; ++level)
#pragma unroll
        for (int e = 0; e < EACH; ++e)
            if (entry[e] & 3) entry[e] = trie[(entry[e] >> 2) % NODES * 256 + (address[e] >> (24 - 8 * level) & 255)];
#pragma unroll
    for (int e = 0; e < EACH; ++e) hops[first + e * THREADS] = entry[e] >> 2;
}
