// Rolling hashes of windows of 24 bytes; each thread goes over RUN places and counts those with the wanted hash.
constexpr int WINDOW = 24, SPAN = THREADS * RUN, WORDS = (SPAN + WINDOW) / 4;

extern "C" __global__ void __launch_bounds__(THREADS)
rabin_karp_windows(const unsigned char* __restrict__ text, int* __restrict__ count, unsigned wanted)
{
    __shared__ unsigned tile[STAGED ? WORDS + WORDS / 16 : 1];
    __shared__ int counts[THREADS / 32];
    const size_t base = (size_t)blockIdx.x * SPAN;
    if (STAGED) {
        for (int i = threadIdx.x; i < WORDS; i += THREADS)
            tile[STAGED ? i + i / 16 : 0] = reinterpret_cast<const unsigned*>(text + base)[i];
        __syncthreads();
    }
    auto byte = [&](int i) -> unsigned {
        if (STAGED) return reinterpret_cast<const unsigned char*>(tile)[i + i / 64 * 4];
        return text[base + i];
    };
    const int first = threadIdx.x * RUN;
    unsigned hash = 0, power = 1;
    int found = 0;
#pragma unroll
    for (int i = 0; i < WINDOW; ++i) {
        hash = hash * 257u + byte(first + i);
        if (i) power *= 257u;
    }
#pragma unroll 4
    for (int i = 0; i < RUN; ++i) {
        found += (hash & 0xffu) == wanted;
        hash = (hash - power * byte(first + i)) * 257u + byte(first + i + WINDOW);
    }
#pragma unroll
    for (int d = 16; d; d >>= 1) found += __shfl_xor_sync(~0u, found, d);
    if (threadIdx.x % 32 == 0) counts[threadIdx.x / 32] = found;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int w = 1; w < THREADS / 32; ++w) found += counts[w];
        count[blockIdx.x] = found;
    }
}
