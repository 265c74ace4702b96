// Approximate search for a pattern of twelve letters by bit-parallel automata with up to ERRORS errors, a chunk of text a
// thread; it begins early enough to see matches that end in the chunk.
constexpr int LENGTH = 12, BEFORE = 16;

extern "C" __global__ void __launch_bounds__(THREADS)
bitap_errors(const unsigned char* __restrict__ text, const unsigned char* __restrict__ pattern,
             unsigned* __restrict__ matches, int letters)
{
    __shared__ unsigned masks[4];
    if (threadIdx.x < 4) {
        unsigned mask = 0;
        for (int i = 0; i < LENGTH; ++i) mask |= (unsigned)(pattern[i] == threadIdx.x) << i;
        masks[threadIdx.x] = mask;
    }
    __syncthreads();
    const int first = (blockIdx.x * THREADS + threadIdx.x) * CHUNK;
    if (first >= letters) return;
    unsigned state[ERRORS + 1], count = 0;
#pragma unroll
    for (int d = 0; d <= ERRORS; ++d) state[d] = (1u << d) - 1;
    auto step = [&](unsigned letter) {
        const unsigned mask = masks[letter];
        unsigned old = state[0];
        state[0] = (state[0] << 1 | 1) & mask;
#pragma unroll
        for (int d = 1; d <= ERRORS; ++d) {
            const unsigned was = state[d];
            state[d] = (was << 1 & mask) | old | (old | state[d - 1]) << 1 | 1;
            old = was;
        }
        return state[ERRORS] >> (LENGTH - 1) & 1;
    };
#if WORDS
    const unsigned* packed = reinterpret_cast<const unsigned*>(text);
    const int begin = max(first - BEFORE, 0) / 4;
    for (int w = begin; w < first / 4; ++w) {
        const unsigned four = packed[w];
#pragma unroll
        for (int b = 0; b < 4; ++b) step(four >> 8 * b & 3);
    }
#pragma unroll 2
    for (int w = first / 4; w < (first + CHUNK) / 4; ++w) {
        const unsigned four = packed[w];
#pragma unroll
        for (int b = 0; b < 4; ++b) count += step(four >> 8 * b & 3);
    }
#else
    for (int i = max(first - BEFORE, 0); i < first; ++i) step(text[i]);
    for (int i = first; i < first + CHUNK; ++i) count += step(text[i]);
#endif
    matches[first / CHUNK] = count;
}
