// NCHW to NHWC: each image is a matrix of channels by pixels, transposed through a tile in shared memory.
// PAD widens the tile by a column; BLOCK_ROWS rows of the tile at a time.
extern "C" __global__ void channels_last(const float* __restrict__ input, float* __restrict__ output) {
    __shared__ float tile[TILE][TILE + PAD];
    constexpr int pixels = 16384;
    int p0 = blockIdx.x * TILE, c0 = blockIdx.y * TILE;
    size_t image = (size_t)blockIdx.z * CHANNELS * pixels;
#pragma unroll
    for (int r = threadIdx.y; r < TILE; r += BLOCK_ROWS)
        tile[r][threadIdx.x] = input[image + (size_t)(c0 + r) * pixels + p0 + threadIdx.x];
    __syncthreads();
#pragma unroll
    for (int r = threadIdx.y; r < TILE; r += BLOCK_ROWS)
        output[image + (size_t)(p0 + r) * CHANNELS + c0 + threadIdx.x] = tile[threadIdx.x][r];
}
