// A window that ends in letter c moves on by c's distance from the pattern's end; chunks overlap by the pattern.
constexpr int TILE = CHUNK * THREADS, LEN = LENGTH, WORDS = (TILE + 16) / 4;

extern "C" __global__ void __launch_bounds__(THREADS)
horspool_search_chunks(const unsigned char* __restrict__ text, const unsigned char* __restrict__ pattern, int* __restrict__ counts)
{
    __shared__ unsigned held[STAGED ? WORDS : 1];
    __shared__ int skip[8];
    __shared__ unsigned char word[LEN];
    const int t = threadIdx.x;
    if (t < 8) {
        int s = LEN;
        for (int i = 0; i < LEN - 1; ++i)
            if (pattern[i] == t) s = LEN - 1 - i;
        skip[t] = s;
    }
    if (t < LEN) word[t] = pattern[t];
    const unsigned char* from = text + (size_t)blockIdx.x * TILE;
    if (STAGED)
        for (int i = t; i < WORDS; i += THREADS) held[i] = reinterpret_cast<const unsigned*>(from)[i];
    __syncthreads();
    const unsigned char* own = (STAGED ? reinterpret_cast<const unsigned char*>(held) : from) + t * CHUNK;
    int found = 0, at = 0;
    while (at < CHUNK) {
        const int last = own[at + LEN - 1];
        int i = LEN - 1;
        while (i >= 0 && own[at + i] == word[i]) --i;
        found += i < 0;
        at += skip[last];
    }
    counts[blockIdx.x * THREADS + t] = found;
}
