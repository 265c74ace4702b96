// Quotes toggle; what is inside is the prefix XOR of their bits. Every segment starts outside of quotes.
__device__ unsigned prefix(unsigned x)
{
#pragma unroll
    for (int d = 1; d < 32; d *= 2) x ^= x << d;
    return x;
}

__device__ unsigned equal(unsigned word, unsigned letter)  // a bit for each of four bytes
{
    const unsigned same = __vcmpeq4(word, letter * 0x01010101u) & 0x08040201u;
    return (same | same >> 8 | same >> 16 | same >> 24) & 15;
}

extern "C" __global__ void __launch_bounds__(THREADS)
csv_field_marks(const unsigned char* __restrict__ text, unsigned* __restrict__ marks)
{
    const int lane = threadIdx.x % 32, warp = (blockIdx.x * THREADS + threadIdx.x) / 32;
#pragma unroll 1
    for (int e = 0; e < EACH; ++e) {
        const int segment = warp * EACH + e;
        unsigned result = 0;
#if BALLOTS
        const unsigned char* from = text + segment * 1024 + lane;
        unsigned inside = 0;
#pragma unroll
        for (int w = 0; w < 32; ++w) {
            const unsigned c = from[w * 32];
            const unsigned quotes = __ballot_sync(0xffffffff, c == '"');
            const unsigned ends = __ballot_sync(0xffffffff, c == ',' || c == '\n');
            const unsigned quoted = prefix(quotes) ^ inside;
            inside = quoted >> 31 ? 0xffffffffu : 0;
            if (lane == w) result = ends & ~quoted;
        }
#else
        const uint4* from = (const uint4*)(text + segment * 1024) + lane * 2;
        unsigned quotes = 0, ends = 0;
#pragma unroll
        for (int half = 0; half < 2; ++half) {
            const uint4 p = from[half];
            const unsigned words[4] = {p.x, p.y, p.z, p.w};
#pragma unroll
            for (int i = 0; i < 4; ++i) {
                quotes |= equal(words[i], '"') << (half * 16 + i * 4);
                ends |= (equal(words[i], ',') | equal(words[i], '\n')) << (half * 16 + i * 4);
            }
        }
        const unsigned odd = __ballot_sync(0xffffffff, __popc(quotes) & 1) & (1u << lane) - 1;
        const unsigned quoted = prefix(quotes) ^ (__popc(odd) & 1 ? 0xffffffffu : 0);
        result = ends & ~quoted;
#endif
        marks[segment * 32 + lane] = result;
    }
}
