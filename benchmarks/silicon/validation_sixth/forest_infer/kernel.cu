// 16,384 rows of 32 features; blockIdx.y takes 16 trees. Node n of a tree has children 2n and 2n + 1, from 1 on.
constexpr int FEATURES = 32, NODES = 1 << DEPTH, TREES = 16, ROWS = 16384;

extern "C" __global__ void __launch_bounds__(128)
forest_infer(const float* __restrict__ rows, const float* __restrict__ thresholds, const unsigned char* __restrict__ features,
             const float* __restrict__ leaves, float* __restrict__ out)
{
    const int row = blockIdx.x * 128 + threadIdx.x;
#if STAGED
    __shared__ float x[128][FEATURES + 1];
    for (int i = threadIdx.x; i < 128 * FEATURES; i += 128)
        x[i / FEATURES][i % FEATURES] = rows[blockIdx.x * 128 * FEATURES + i];
    __syncthreads();
#define VALUE(f) x[threadIdx.x][f]
#else
#define VALUE(f) rows[row * FEATURES + (f)]
#endif
    float sum = 0.0f;
#pragma unroll 1
    for (int t = 0; t < TREES; t += TREES_EACH) {
        const int base = (blockIdx.y * TREES + t) * NODES;
        int n[TREES_EACH];
#pragma unroll
        for (int e = 0; e < TREES_EACH; ++e) n[e] = 1;
#pragma unroll 3
        for (int d = 0; d < DEPTH; ++d)
#pragma unroll
            for (int e = 0; e < TREES_EACH; ++e) {
                const int at = base + e * NODES + n[e];
                n[e] = 2 * n[e] + (VALUE(features[at]) >= thresholds[at]);
            }
#pragma unroll
        for (int e = 0; e < TREES_EACH; ++e) sum += leaves[base + e * NODES + n[e] - NODES];
    }
    out[blockIdx.y * ROWS + row] = sum;
}
