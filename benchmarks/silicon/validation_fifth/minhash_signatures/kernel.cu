// A set a block, EACH hash functions a thread: the least of a * token + b, with its bits mixed.
constexpr int THREADS = HASHES / EACH;

extern "C" __global__ void __launch_bounds__(THREADS)
minhash_signatures(const unsigned* __restrict__ words, const uint2* __restrict__ factors, unsigned* __restrict__ signatures)
{
    const int t = threadIdx.x;
    const unsigned* from = words + blockIdx.x * TOKENS;
    uint2 f[EACH];
    unsigned least[EACH];
#pragma unroll
    for (int e = 0; e < EACH; ++e) {
        f[e] = factors[e * THREADS + t];
        least[e] = 0xffffffffu;
    }
    auto take = [&](unsigned token) {
#pragma unroll
        for (int e = 0; e < EACH; ++e) {
            unsigned h = (f[e].x | 1) * token + f[e].y;
            h ^= h >> 15;
            least[e] = min(least[e], h * 0x2c1b3c6du);
        }
    };
#if SHUFFLED
#pragma unroll 1
    for (int i = 0; i < TOKENS; i += 32) {
        const unsigned own = from[i + t % 32];
#pragma unroll
        for (int j = 0; j < 32; ++j) take(__shfl_sync(0xffffffff, own, j));
    }
#else
    __shared__ unsigned set[TOKENS];
    for (int i = t; i < TOKENS; i += THREADS) set[i] = from[i];
    __syncthreads();
#pragma unroll 16
    for (int i = 0; i < TOKENS; ++i) take(set[i]);
#endif
#pragma unroll
    for (int e = 0; e < EACH; ++e) signatures[blockIdx.x * HASHES + e * THREADS + t] = least[e];
}
