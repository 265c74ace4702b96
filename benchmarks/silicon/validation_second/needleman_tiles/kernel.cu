// Needleman-Wunsch as benchmark suites have it: TILE threads fill a tile of TILE x TILE scores in shared memory, tile
// after tile; the last column and the last row are carried over. Only the final score is kept.
extern "C" __global__ void needleman_tiles(const signed char* __restrict__ queries,
                                           const signed char* __restrict__ references,
                                           const int* __restrict__ similarity, int* __restrict__ scores)
{
    constexpr int GAP = -6;
    __shared__ int table[400], score[PAIRS_BLOCK][TILE + 1][TILE + 1], bottom[PAIRS_BLOCK][LENGTH + 1];
    const int t = threadIdx.x, p = threadIdx.y, pair = blockIdx.x * PAIRS_BLOCK + p;
    for (int i = p * TILE + t; i < 400; i += TILE * PAIRS_BLOCK) table[i] = similarity[i] - 4;
    for (int i = t; i <= LENGTH; i += TILE) bottom[p][i] = i * GAP;
    const signed char *q = queries + pair * LENGTH, *r = references + pair * LENGTH;
    int left = 0;

    for (int row0 = 0; row0 < LENGTH; row0 += TILE) {
        const int letter = q[row0 + t] * 20;
        int corner = row0 * GAP;
        left = (row0 + t + 1) * GAP;
        for (int col0 = 0; col0 < LENGTH; col0 += TILE) {
            __syncthreads();
            score[p][0][t + 1] = bottom[p][col0 + t + 1];
            score[p][t + 1][0] = left;
            if (t == 0) score[p][0][0] = corner;
            corner = bottom[p][col0 + TILE];
            __syncthreads();
            for (int d = 0; d < 2 * TILE - 1; ++d) {
                const int x = d - t;
                if (x >= 0 && x < TILE) {
                    const int match = score[p][t][x] + table[letter + r[col0 + x]];
                    score[p][t + 1][x + 1] = max(match, max(score[p][t + 1][x], score[p][t][x + 1]) + GAP);
                }
                __syncthreads();
            }
            left = score[p][t + 1][TILE];
            bottom[p][col0 + t + 1] = score[p][TILE][t + 1];
        }
    }
    if (t == TILE - 1) scores[pair] = left;
}
