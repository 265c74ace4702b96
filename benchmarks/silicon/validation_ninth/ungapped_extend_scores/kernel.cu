// An extension ends once its score is 12 below its best; scores are bytes less 4, in rows of 32.
extern "C" __global__ void __launch_bounds__(THREADS)
ungapped_extend_scores(const unsigned char* __restrict__ query, const unsigned char* __restrict__ target,
                       const int* __restrict__ seed_q, const int* __restrict__ seed_t,
                       const unsigned char* __restrict__ scores, int* __restrict__ best)
{
    __shared__ int wide[TABLE == 0 ? 768 : 1];
    __shared__ unsigned char small[TABLE == 1 ? 768 : 1];
    if (TABLE < 2) {
        for (int i = threadIdx.x; i < 768; i += THREADS) {
            if (TABLE == 0) wide[i] = scores[i];
            else small[i] = scores[i];
        }
        __syncthreads();
    }
    const int id = blockIdx.x * THREADS + threadIdx.x;
    const unsigned char *q = query + seed_q[id], *t = target + seed_t[id];
    int score = 0, top = 0;
    bool open = true;
#pragma unroll 4
    for (int i = 0; i < 64; ++i) {
        const int at = q[i] * 32 + t[i];
        score += (TABLE == 0 ? wide[at] : TABLE == 1 ? small[at] : scores[at]) - 4;
        if (open) top = max(top, score);
        open = open && score > top - 12;
        if (EARLY && !open) break;
    }
    best[id] = top;
}
