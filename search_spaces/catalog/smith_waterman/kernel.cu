// smith_waterman: the best local alignment of pairs of short sequences with affine gaps, a pair to each thread.
//
// Eight bases are packed into a word. The matrix is computed in strips of eight rows: the loops over the words of the
// target and over the bases of a word are unrolled as asked, the eight rows of a strip always. Unrolling makes the code
// longer than the instruction caches, and what pays depends on how many warps fetch it.

constexpr int MATCH = 2, MISMATCH = -3, OPEN = 5, EXTEND = 2;
constexpr int BASES = 8;
constexpr int LONGEST = 32;

#if UNROLL_OUTER == 0
#define OUTER _Pragma("unroll 1")
#elif UNROLL_OUTER == 1
#define OUTER _Pragma("unroll")
#elif UNROLL_OUTER == 2
#define OUTER _Pragma("unroll 2")
#elif UNROLL_OUTER == 3
#define OUTER _Pragma("unroll 3")
#else
#define OUTER _Pragma("unroll 4")
#endif

#if UNROLL_INNER == 0
#define INNER _Pragma("unroll 1")
#elif UNROLL_INNER == 1
#define INNER _Pragma("unroll")
#elif UNROLL_INNER == 2
#define INNER _Pragma("unroll 2")
#elif UNROLL_INNER == 3
#define INNER _Pragma("unroll 3")
#else
#define INNER _Pragma("unroll 4")
#endif

extern "C" __global__ void smith_waterman(const unsigned* __restrict__ queries, const unsigned* __restrict__ targets,
                                          int* __restrict__ scores, int query_words, int target_words)
{
    const int pair = blockIdx.x * BLOCK_SIZE + threadIdx.x;
    const int pairs = gridDim.x * BLOCK_SIZE;
    short above[LONGEST], gap_above[LONGEST];         // the last row of the strip above, in local memory
    for (int column = 0; column < LONGEST; ++column) {
        above[column] = 0;
        gap_above[column] = -OPEN;
    }
    int best = 0;
#pragma unroll 1
    for (int strip = 0; strip < query_words; ++strip) {
        const unsigned query = queries[strip * pairs + pair];
        int left[BASES] = {}, gap_left[BASES];
#pragma unroll
        for (int row = 0; row < BASES; ++row) {
            gap_left[row] = -OPEN;
        }
        int corner = 0;
        OUTER
        for (int word = 0; word < target_words; ++word) {
            const unsigned target = targets[word * pairs + pair];
            INNER
            for (int base = 0; base < BASES; ++base) {
                const unsigned letter = target >> (4 * base) & 15;
                const int column = word * BASES + base;
                int diagonal = corner, up = above[column], gap_up = gap_above[column];
                corner = up;
#pragma unroll
                for (int row = 0; row < BASES; ++row) {
                    const int pairing = (query >> (4 * row) & 15) == letter ? MATCH : MISMATCH;
                    gap_up = max(gap_up - EXTEND, up - OPEN);
                    gap_left[row] = max(gap_left[row] - EXTEND, left[row] - OPEN);
                    up = max(max(diagonal + pairing, 0), max(gap_up, gap_left[row]));
                    diagonal = left[row];
                    left[row] = up;
                    best = max(best, up);
                }
                above[column] = up;
                gap_above[column] = gap_up;
            }
        }
    }
    scores[pair] = best;
}
