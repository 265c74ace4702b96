// Smith-Waterman score of a pair a block: thread i holds row i and works on anti-diagonals, its results go to
// the next thread through shared memory with two barriers a step. Gaps are linear or affine.
extern "C" __global__ void smith_waterman(const unsigned char* __restrict__ queries,
                                          const unsigned char* __restrict__ references, int* __restrict__ score) {
    __shared__ int above[BLOCK_SIZE + 1], above_gap[AFFINE ? BLOCK_SIZE + 1 : 1], best[BLOCK_SIZE / 32];
    __shared__ unsigned char letters[REFERENCE];
    int t = threadIdx.x, letter = queries[blockIdx.x * BLOCK_SIZE + t];
    for (int i = t; i < REFERENCE; i += BLOCK_SIZE) letters[i] = references[blockIdx.x * REFERENCE + i];
    above[t] = 0;
    if (t == 0) above[BLOCK_SIZE] = 0;
    if (AFFINE) {
        above_gap[t] = -1000;
        if (t == 0) above_gap[BLOCK_SIZE] = -1000;
    }
    int here = 0, gap = -1000, diagonal = 0, top = 0;
    __syncthreads();
    for (int step = 0; step < BLOCK_SIZE + REFERENCE - 1; ++step) {
        int j = step - t, up = above[t], up_gap = AFFINE ? above_gap[t] : 0;
        bool inside = j >= 0 && j < REFERENCE;
        __syncthreads();
        if (inside) {
            int match = diagonal + (letters[j] == letter ? 3 : -2);
            if (AFFINE) {
                gap = max(gap - 1, here - 4);
                up_gap = max(up_gap - 1, up - 4);
                here = max(max(match, 0), max(gap, up_gap));
                above_gap[t + 1] = up_gap;
            } else {
                here = max(max(match, 0), max(here, up) - 2);
            }
            above[t + 1] = here;
            diagonal = up;
            top = max(top, here);
        }
        __syncthreads();
    }
    top = __reduce_max_sync(~0u, top);
    if (t % 32 == 0) best[t / 32] = top;
    __syncthreads();
    if (t == 0) {
        for (int w = 1; w < BLOCK_SIZE / 32; ++w) top = max(top, best[w]);
        score[blockIdx.x] = top;
    }
}
