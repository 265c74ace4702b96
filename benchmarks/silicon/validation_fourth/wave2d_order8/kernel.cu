// Acoustic wave equation in 2-D, eighth order in space, second in time, ROWS_EACH rows a thread, from memory or through
// a tile in shared memory.
constexpr int N = 2048, ROWS = BLOCK_Y * ROWS_EACH;

extern "C" __global__ void wave2d_order8(const float* __restrict__ now, const float* __restrict__ before,
                                         const float* __restrict__ speed, float* __restrict__ out)
{
    constexpr float C[5] = {-2.84722222f, 1.6f, -0.2f, 0.02539683f, -0.00178571f};
    const int tx = threadIdx.x, x = blockIdx.x * BLOCK_X + tx, y0 = blockIdx.y * ROWS;
#if IN_SHARED
    __shared__ float tile[ROWS + 8][BLOCK_X + 8];
    for (int i = threadIdx.y * BLOCK_X + tx; i < (ROWS + 8) * (BLOCK_X + 8); i += BLOCK_X * BLOCK_Y) {
        const int r = i / (BLOCK_X + 8), s = i % (BLOCK_X + 8);
        const int yy = min(max(y0 + r - 4, 0), N - 1), xx = min(max((int)(blockIdx.x * BLOCK_X) + s - 4, 0), N - 1);
        tile[r][s] = now[yy * N + xx];
    }
    __syncthreads();
#endif
#pragma unroll
    for (int e = 0; e < ROWS_EACH; ++e) {
        const int local = threadIdx.y + e * BLOCK_Y, y = y0 + local;
        if (x < 4 || x >= N - 4 || y < 4 || y >= N - 4) continue;
        const int at = y * N + x;
#if IN_SHARED
        const float centre = tile[local + 4][tx + 4];
        float laplacian = 2.0f * C[0] * centre;
#pragma unroll
        for (int k = 1; k <= 4; ++k)
            laplacian += C[k] * (tile[local + 4][tx + 4 - k] + tile[local + 4][tx + 4 + k] + tile[local + 4 - k][tx + 4] +
                                 tile[local + 4 + k][tx + 4]);
#else
        const float centre = now[at];
        float laplacian = 2.0f * C[0] * centre;
#pragma unroll
        for (int k = 1; k <= 4; ++k)
            laplacian += C[k] * (now[at - k] + now[at + k] + now[at - k * N] + now[at + k * N]);
#endif
        out[at] = 2.0f * centre - before[at] + speed[at] * laplacian;
    }
}
