// Each place adds the least of three before it; rows go by while a tile's rims shrink.
constexpr int N = 1048576, W = THREADS * PER, TILE = W - 2 * ROWS;

extern "C" __global__ void __launch_bounds__(THREADS)
pathfinder_rows_pyramid(const int* __restrict__ wall, const int* __restrict__ before, int* __restrict__ after)
{
    __shared__ int best[2][W + 2];
    const int x0 = blockIdx.x * TILE - ROWS;
    int col[PER], cost[PER], next[PER];
#pragma unroll
    for (int p = 0; p < PER; ++p) {
        const int at = threadIdx.x + p * THREADS;
        col[p] = min(max(x0 + at, 0), N - 1);
        cost[p] = before[col[p]];
        if (AHEAD) next[p] = wall[col[p]];
    }
    if (threadIdx.x < 2) best[threadIdx.x][0] = best[threadIdx.x][W + 1] = 1 << 28;
#pragma unroll 1
    for (int r = 0; r < ROWS; ++r) {
        int own[PER];
#pragma unroll
        for (int p = 0; p < PER; ++p) {
            best[r & 1][threadIdx.x + p * THREADS + 1] = cost[p];
            own[p] = AHEAD ? next[p] : wall[r * N + col[p]];
            if (AHEAD && r + 1 < ROWS) next[p] = wall[(r + 1) * N + col[p]];
        }
        __syncthreads();
#pragma unroll
        for (int p = 0; p < PER; ++p) {
            const int at = threadIdx.x + p * THREADS;
            cost[p] = own[p] + min(cost[p], min(best[r & 1][at], best[r & 1][at + 2]));
        }
    }
#pragma unroll
    for (int p = 0; p < PER; ++p) {
        const int at = threadIdx.x + p * THREADS;
        if (at >= ROWS && at < W - ROWS && x0 + at < N) after[x0 + at] = cost[p];
    }
}
