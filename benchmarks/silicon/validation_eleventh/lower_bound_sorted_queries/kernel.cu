// For each query the first place of a sorted table that is not less, in fixed steps without branches; the first ten
// steps are in shared memory or not.
constexpr int LOG = TABLE == 262144 ? 18 : 22;

extern "C" __global__ void __launch_bounds__(THREADS)
lower_bound_sorted_queries(const int* __restrict__ table, const int* __restrict__ query, int* __restrict__ found)
{
    __shared__ int coarse[STAGED ? 1024 : 1];
    if (STAGED) {
        for (int i = threadIdx.x; i < 1024; i += THREADS) coarse[STAGED ? i : 0] = table[(i + 1) * (TABLE / 1024) - 1];
        __syncthreads();
    }
    const int first = blockIdx.x * THREADS * EACH * 4 + threadIdx.x;
#pragma unroll 1
    for (int run = 0; run < 4; ++run) {
        int q[EACH], low[EACH];
#pragma unroll
        for (int e = 0; e < EACH; ++e) {
            q[e] = query[first + (run * EACH + e) * THREADS];
            low[e] = 0;
        }
        if (STAGED) {
#pragma unroll
            for (int half = 512; half; half >>= 1)
#pragma unroll
                for (int e = 0; e < EACH; ++e) low[e] += coarse[STAGED ? low[e] + half - 1 : 0] < q[e] ? half : 0;
#pragma unroll
            for (int e = 0; e < EACH; ++e) low[e] *= TABLE / 1024;
        }
#pragma unroll
        for (int half = STAGED ? TABLE / 2048 : TABLE / 2; half; half >>= 1)
#pragma unroll
            for (int e = 0; e < EACH; ++e) low[e] += __ldg(table + low[e] + half - 1) < q[e] ? half : 0;
#pragma unroll
        for (int e = 0; e < EACH; ++e) found[first + (run * EACH + e) * THREADS] = low[e];
    }
}
