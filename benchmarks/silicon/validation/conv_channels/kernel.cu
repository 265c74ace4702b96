// Direct convolution, NCHW, 3 x 3, 32 channels to 64: CHUNK input channels at a time in shared memory,
// OUTPUTS_EACH output channels a thread. The input is padded by a pixel.
extern "C" __global__ void conv_channels(const float* __restrict__ input, const float* __restrict__ filters,
                                         float* __restrict__ output) {
    __shared__ float tile[CHUNK][TILE_Y + 2][34], weight[OUTPUTS_EACH][CHUNK][9];
    constexpr int threads = 32 * TILE_Y;
    int x0 = blockIdx.x % 2 * 32, y0 = blockIdx.x / 2 * TILE_Y, c0 = blockIdx.y * OUTPUTS_EACH;
    int t = threadIdx.y * 32 + threadIdx.x;
    const float* image = input + (size_t)blockIdx.z * 32 * 66 * 66;
    float sum[OUTPUTS_EACH] = {};
    for (int i0 = 0; i0 < 32; i0 += CHUNK) {
        for (int i = t; i < CHUNK * (TILE_Y + 2) * 34; i += threads) {
            int c = i / ((TILE_Y + 2) * 34), y = i / 34 % (TILE_Y + 2), x = i % 34;
            tile[c][y][x] = image[((i0 + c) * 66 + y0 + y) * 66 + x0 + x];
        }
        for (int i = t; i < OUTPUTS_EACH * CHUNK * 9; i += threads) {
            int o = i / (CHUNK * 9), r = i % (CHUNK * 9);
            weight[o][r / 9][r % 9] = filters[((c0 + o) * 32 + i0) * 9 + r];
        }
        __syncthreads();
#pragma unroll
        for (int c = 0; c < CHUNK; ++c)
#pragma unroll
            for (int k = 0; k < 9; ++k) {
                float p = tile[c][threadIdx.y + k / 3][threadIdx.x + k % 3];
#pragma unroll
                for (int o = 0; o < OUTPUTS_EACH; ++o) sum[o] = fmaf(p, weight[o][c][k], sum[o]);
            }
        __syncthreads();
    }
#pragma unroll
    for (int o = 0; o < OUTPUTS_EACH; ++o)
        output[((blockIdx.z * 64 + c0 + o) * 64 + y0 + threadIdx.y) * 64 + x0 + threadIdx.x] = sum[o];
}
