// The largest worth for every capacity below CAPACITY. MODE: 0 two rows, 1 one row, 2 two rows and two things a step.
constexpr int THINGS = 64, OWN = CAPACITY / THREADS;

extern "C" __global__ void __launch_bounds__(THREADS)
knapsack_block_rows(const int* __restrict__ weights, const int* __restrict__ worths, int* __restrict__ best)
{
    __shared__ int row[MODE == 1 ? 1 : 2][CAPACITY];
    __shared__ int ws[THINGS], vs[THINGS];
    const int t = threadIdx.x;
    if (t < THINGS) {
        ws[t] = weights[blockIdx.x * THINGS + t] + 1;
        vs[t] = worths[blockIdx.x * THINGS + t];
    }
#pragma unroll
    for (int i = 0; i < OWN; ++i) row[0][i * THREADS + t] = 0;
    __syncthreads();
    int now = 0;
#pragma unroll 1
    for (int k = 0; k < THINGS; k += MODE == 2 ? 2 : 1) {
        const int w = ws[k], v = vs[k];
        if (MODE == 0) {
#pragma unroll
            for (int i = 0; i < OWN; ++i) {
                const int c = i * THREADS + t, old = row[now][c];
                row[now ^ (MODE != 1)][c] = c >= w ? max(old, row[now][c - w] + v) : old;
            }
            now ^= 1;
            __syncthreads();
        } else if (MODE == 1) {
            int f[OWN];
#pragma unroll
            for (int i = 0; i < OWN; ++i) {
                const int c = i * THREADS + t;
                f[i] = c >= w ? max(row[0][c], row[0][c - w] + v) : row[0][c];
            }
            __syncthreads();
#pragma unroll
            for (int i = 0; i < OWN; ++i) row[0][i * THREADS + t] = f[i];
            __syncthreads();
        } else {
            const int w2 = ws[k + 1], v2 = vs[k + 1];
#pragma unroll
            for (int i = 0; i < OWN; ++i) {
                const int c = i * THREADS + t;
                int f = row[now][c];
                if (c >= w) f = max(f, row[now][c - w] + v);
                if (c >= w2) f = max(f, row[now][c - w2] + v2);
                if (c >= w + w2) f = max(f, row[now][c - w - w2] + v + v2);
                row[now ^ (MODE != 1)][c] = f;
            }
            now ^= 1;
            __syncthreads();
        }
    }
    if (t == 0) best[blockIdx.x] = row[now][CAPACITY - 1];
}
