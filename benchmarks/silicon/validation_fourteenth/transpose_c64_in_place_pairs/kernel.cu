// Tiles on and below the diagonal are numbered row after row; each block swaps a tile and its mirror.
extern "C" __global__ void __launch_bounds__(TILE * BY)
transpose_c64_in_place_pairs(float2* __restrict__ a)
{
    __shared__ float2 low[TILE][TILE + PAD], up[TILE][TILE + PAD];
    int i = (int)((sqrtf(8.0f * blockIdx.x + 1.0f) - 1.0f) * 0.5f);
    if ((i + 1) * (i + 2) / 2 <= (int)blockIdx.x) ++i;
    if (i * (i + 1) / 2 > (int)blockIdx.x) --i;
    const int j = blockIdx.x - i * (i + 1) / 2, x = threadIdx.x;
    float2* pl = a + (size_t)i * TILE * SIDE + j * TILE;
    float2* pu = a + (size_t)j * TILE * SIDE + i * TILE;
#pragma unroll
    for (int y = threadIdx.y; y < TILE; y += BY) {
        low[y][x] = pl[(size_t)y * SIDE + x];
        up[y][x] = pu[(size_t)y * SIDE + x];
    }
    __syncthreads();
#pragma unroll
    for (int y = threadIdx.y; y < TILE; y += BY) {
        pl[(size_t)y * SIDE + x] = up[x][y];
        pu[(size_t)y * SIDE + x] = low[x][y];
    }
}
