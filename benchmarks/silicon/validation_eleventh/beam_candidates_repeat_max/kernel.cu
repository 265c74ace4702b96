// The BEST greatest of each row of 8,192 scores by taking the maximum again and again; rows in shared memory or registers.
constexpr int COLS = 8192, OWN = COLS / THREADS, WARPS = THREADS / 32;

extern "C" __global__ void __launch_bounds__(THREADS)
beam_candidates_repeat_max(const float* __restrict__ scores, const float* __restrict__ beam, float* __restrict__ best, int* __restrict__ which)
{
    __shared__ float row[STAGED ? COLS : 1], tops[WARPS];
    __shared__ int places[WARPS];
    float own[STAGED ? 1 : OWN], top = -1.0e30f;
    int place = 0;
    const float add = beam[blockIdx.x];
#pragma unroll
    for (int i = 0; i < OWN; ++i) {
        const float s = scores[(size_t)blockIdx.x * COLS + i * THREADS + threadIdx.x] + add;
        if (STAGED)
            row[STAGED ? i * THREADS + threadIdx.x : 0] = s;
        else
            own[STAGED ? 0 : i] = s;
        if (s > top) {
            top = s;
            place = i * THREADS + threadIdx.x;
        }
    }
#pragma unroll 1
    for (int k = 0; k < BEST; ++k) {
        float t = top;
        int p = place;
#pragma unroll
        for (int d = 16; d; d >>= 1) {
            const float s = __shfl_xor_sync(~0u, t, d);
            const int q = __shfl_xor_sync(~0u, p, d);
            const bool better = s > t || (s == t && q < p);
            t = better ? s : t;
            p = better ? q : p;
        }
        if (threadIdx.x % 32 == 0) {
            tops[threadIdx.x / 32] = t;
            places[threadIdx.x / 32] = p;
        }
        __syncthreads();
        t = tops[0];
        p = places[0];
#pragma unroll
        for (int w = 1; w < WARPS; ++w) {
            const bool better = tops[w] > t || (tops[w] == t && places[w] < p);
            t = better ? tops[w] : t;
            p = better ? places[w] : p;
        }
        __syncthreads();
        if (threadIdx.x == 0) {
            best[blockIdx.x * BEST + k] = t;
            which[blockIdx.x * BEST + k] = p;
        }
        if (p % THREADS == threadIdx.x) {
            top = -1.0e30f;
            if (STAGED) row[STAGED ? p : 0] = -1.0e30f;
#pragma unroll
            for (int i = 0; i < OWN; ++i) {
                if (!STAGED && i == p / THREADS) own[STAGED ? 0 : i] = -1.0e30f;
                const float s = STAGED ? row[STAGED ? i * THREADS + threadIdx.x : 0] : own[STAGED ? 0 : i];
                if (s > top) {
                    top = s;
                    place = i * THREADS + threadIdx.x;
                }
            }
        }
    }
}
