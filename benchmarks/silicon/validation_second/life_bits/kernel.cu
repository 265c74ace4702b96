// Conway's Game of Life, cells as bits, counted by full adders on whole words. The board of 16,384 x 16,384 cells
// wraps around. A thread moves down ROWS_EACH rows and keeps the sums of the row above.
#if WIDE
typedef unsigned long long word;
#else
typedef unsigned int word;
#endif
constexpr int BITS = 8 * sizeof(word), COLUMNS = 16384 / BITS, ROWS = 16384;

struct Sums { word mid, one, two, left, right; };

__device__ __forceinline__ Sums load_row(const word* board, int row, int column)
{
    const word* line = board + (row & (ROWS - 1)) * COLUMNS;
    const word w = line[(column - 1) & (COLUMNS - 1)], m = line[column], e = line[(column + 1) & (COLUMNS - 1)];
    Sums s;
    s.mid = m;
    s.left = m << 1 | w >> (BITS - 1);
    s.right = m >> 1 | e << (BITS - 1);
    s.one = s.left ^ m ^ s.right;
    s.two = (s.left & m) | (s.right & (s.left | m));
    return s;
}

extern "C" __global__ void life_bits(const word* __restrict__ board, word* __restrict__ following)
{
    const int column = blockIdx.x * THREADS + threadIdx.x, row0 = blockIdx.y * ROWS_EACH;
    Sums above = load_row(board, row0 - 1, column), here = load_row(board, row0, column);
#pragma unroll
    for (int r = 0; r < ROWS_EACH; ++r) {
        const Sums below = load_row(board, row0 + r + 1, column);
        // the cell itself counts to neither: left and right of its own row only
        const word own_one = here.left ^ here.right, own_two = here.left & here.right;
        const word ones = above.one ^ below.one ^ own_one;
        const word carry = (above.one & below.one) | (own_one & (above.one | below.one));
        const word t1 = above.two ^ below.two, t2 = own_two ^ carry;
        const word twos = t1 ^ t2;
        const word fours = (above.two & below.two) | (own_two & carry) | (t1 & t2);
        following[(row0 + r) * COLUMNS + column] = twos & ~fours & (ones | here.mid);
        above = here;
        here = below;
    }
}
