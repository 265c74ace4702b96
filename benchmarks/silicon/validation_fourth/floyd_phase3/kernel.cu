// The third phase of blocked Floyd and Warshall: distances by way of a block of 32 vertices, tiles in shared memory,
// MICRO x MICRO distances a thread, with the vertices gone through or without.
constexpr int DEPTH = 32, SIDE = TILE / MICRO, THREADS = SIDE * SIDE;

extern "C" __global__ void __launch_bounds__(THREADS)
floyd_phase3(const float* __restrict__ dist, float* __restrict__ out, int* __restrict__ through, int n, int k0)
{
    __shared__ float rows[TILE][DEPTH + 1], columns[DEPTH][TILE];
    const int t = threadIdx.x, tx = t % SIDE, ty = t / SIDE, i0 = blockIdx.y * TILE, j0 = blockIdx.x * TILE;
#pragma unroll
    for (int i = t; i < TILE * DEPTH; i += THREADS) {
        rows[i / DEPTH][i % DEPTH] = dist[(size_t)(i0 + i / DEPTH) * n + k0 + i % DEPTH];
        columns[i / TILE][i % TILE] = dist[(size_t)(k0 + i / TILE) * n + j0 + i % TILE];
    }
    float best[MICRO][MICRO];
    int by[MICRO][MICRO];
#pragma unroll
    for (int i = 0; i < MICRO; ++i)
#pragma unroll
        for (int j = 0; j < MICRO; ++j) {
            best[i][j] = dist[(size_t)(i0 + ty + i * SIDE) * n + j0 + tx + j * SIDE];
            by[i][j] = -1;
        }
    __syncthreads();
#pragma unroll 8
    for (int k = 0; k < DEPTH; ++k) {
        float a[MICRO], b[MICRO];
#pragma unroll
        for (int i = 0; i < MICRO; ++i) {
            a[i] = rows[ty + i * SIDE][k];
            b[i] = columns[k][tx + i * SIDE];
        }
#pragma unroll
        for (int i = 0; i < MICRO; ++i)
#pragma unroll
            for (int j = 0; j < MICRO; ++j) {
                const float d = a[i] + b[j];
#if PATHS
                if (d < best[i][j]) {
                    best[i][j] = d;
                    by[i][j] = k0 + k;
                }
#else
                best[i][j] = fminf(best[i][j], d);
#endif
            }
    }
#pragma unroll
    for (int i = 0; i < MICRO; ++i)
#pragma unroll
        for (int j = 0; j < MICRO; ++j) {
            const size_t at = (size_t)(i0 + ty + i * SIDE) * n + j0 + tx + j * SIDE;
            out[at] = best[i][j];
#if PATHS
            if (by[i][j] >= 0) through[at] = by[i][j];
#endif
        }
}
