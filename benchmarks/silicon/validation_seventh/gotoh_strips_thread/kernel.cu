// Local alignment with affine gaps of 16,384 pairs of 64 letters, a pair a thread; strips of STRIP columns in registers,
// their last column kept in shared or global memory for the next strip.
constexpr int LEN = 64, PAIRS = 16384, THREADS = 64, OPEN = 5, EXTEND = 1;

extern "C" __global__ void __launch_bounds__(THREADS)
gotoh_strips_thread(const unsigned* __restrict__ queries, const unsigned* __restrict__ targets, int* __restrict__ edge,
                    int* __restrict__ scores)
{
    const int pair = blockIdx.x * THREADS + threadIdx.x;
#if IN_SHARED
    __shared__ int column[LEN][THREADS];
#define EDGE(i) column[i][threadIdx.x]
#else
#define EDGE(i) edge[(i) * PAIRS + pair]
#endif
    int best = 0;
#pragma unroll 1
    for (int c = 0; c < LEN; c += STRIP) {
        int letters[STRIP], h[STRIP], f[STRIP];
#pragma unroll
        for (int j = 0; j < STRIP; ++j) {
            letters[j] = queries[(c + j) / 4 * PAIRS + pair] >> (c + j) % 4 * 8 & 3;
            h[j] = 0;
            f[j] = -1000;
        }
        int corner = 0;
        unsigned word = 0;
#pragma unroll UNROLL
        for (int i = 0; i < LEN; ++i) {
            if (i % 4 == 0) word = targets[i / 4 * PAIRS + pair];
            const int letter = word >> i % 4 * 8 & 3;
            int left = 0, e = -1000, diagonal = corner;
            if (c) {
                const int stored = EDGE(i);
                left = stored >> 16;
                e = (short)stored;
            }
            corner = left;
#pragma unroll
            for (int j = 0; j < STRIP; ++j) {
                e = max(e - EXTEND, left - OPEN);
                f[j] = max(f[j] - EXTEND, h[j] - OPEN);
                const int match = diagonal + (letter == letters[j] ? 3 : -2);
                diagonal = h[j];
                left = h[j] = max(max(match, 0), max(e, f[j]));
                best = max(best, left);
            }
            EDGE(i) = left << 16 | (e & 0xFFFF);
        }
    }
    scores[pair] = best;
}
