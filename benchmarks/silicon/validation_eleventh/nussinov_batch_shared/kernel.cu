// Most pairs in foldings of RNA of LEN bases, a block a sequence, diagonal by diagonal; a mirrored copy makes the
// second factor of the splits contiguous.
constexpr int LD = LEN + 2;

extern "C" __global__ void __launch_bounds__(THREADS)
nussinov_batch_shared(const unsigned char* __restrict__ bases, int* __restrict__ pairs)
{
    __shared__ short m[LEN * LD], t[MIRROR ? LEN * LD : 1];
    __shared__ unsigned char s[LEN];
    for (int i = threadIdx.x; i < LEN; i += THREADS) s[i] = bases[blockIdx.x * LEN + i] & 3;
    for (int i = threadIdx.x; i < LEN * LD; i += THREADS) {
        m[i] = 0;
        if (MIRROR) t[MIRROR ? i : 0] = 0;
    }
    __syncthreads();
    for (int span = 4; span < LEN; ++span) {
        for (int i = threadIdx.x; i + span < LEN; i += THREADS) {
            const int j = i + span;
            int best = max((int)m[(i + 1) * LD + j], (int)m[i * LD + j - 1]);
            best = max(best, m[(i + 1) * LD + j - 1] + (s[i] + s[j] == 3 ? 1 : 0));
            constexpr int U = UNROLL;
#pragma unroll U
            for (int k = i + 4; k < j - 4; ++k) best = max(best, m[i * LD + k] + (MIRROR ? t[MIRROR ? j * LD + k + 1 : 0] : m[(k + 1) * LD + j]));
            m[i * LD + j] = best;
            if (MIRROR) t[MIRROR ? j * LD + i : 0] = best;
        }
        __syncthreads();
    }
    if (threadIdx.x == 0) pairs[blockIdx.x] = m[LEN - 1];
}
