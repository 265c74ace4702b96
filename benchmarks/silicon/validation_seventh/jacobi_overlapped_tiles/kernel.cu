// STEPS sweeps of five points over 2,048 x 2,048 numbers (with a border of eight) in shared memory, tiles overlapping.
constexpr int PITCH = 2064, W = TILE_X + 2 * STEPS, H = TILE_Y + 2 * STEPS;

extern "C" __global__ void __launch_bounds__(THREADS)
jacobi_overlapped_tiles(const float* __restrict__ x, float* __restrict__ y)
{
    __shared__ float tile[2][H][W];
    const float* from = x + (size_t)(8 + blockIdx.y * TILE_Y - STEPS) * PITCH + 8 + blockIdx.x * TILE_X - STEPS;
    for (int i = threadIdx.x; i < W * H; i += THREADS) tile[0][i / W][i % W] = from[(i / W) * PITCH + i % W];
    __syncthreads();
#pragma unroll
    for (int s = 1; s < STEPS; ++s) {
        const int w = W - 2 * s, h = H - 2 * s;
        for (int i = threadIdx.x; i < w * h; i += THREADS) {
            const int r = i / w + s, c = i % w + s;
            tile[s & 1][r][c] = 0.25f * (tile[~s & 1][r - 1][c] + tile[~s & 1][r + 1][c] + tile[~s & 1][r][c - 1] + tile[~s & 1][r][c + 1]);
        }
        __syncthreads();
    }
    float (*last)[W] = tile[(STEPS - 1) & 1];
#pragma unroll 2
    for (int i = threadIdx.x; i < TILE_X * TILE_Y; i += THREADS) {
        const int r = i / TILE_X, c = i % TILE_X, sr = r + STEPS, sc = c + STEPS;
        y[(size_t)(8 + blockIdx.y * TILE_Y + r) * PITCH + 8 + blockIdx.x * TILE_X + c] =
            0.25f * (last[sr - 1][sc] + last[sr + 1][sc] + last[sr][sc - 1] + last[sr][sc + 1]);
    }
}
