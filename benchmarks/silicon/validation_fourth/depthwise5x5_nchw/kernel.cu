// Depthwise 5 x 5 convolution of NCHW planes with padding, ROWS_EACH rows a thread, straight from memory or through a
// tile in shared memory.
constexpr int SIDE = 128, ROWS = BLOCK_Y * ROWS_EACH;

extern "C" __global__ void depthwise5x5_nchw(const float* __restrict__ x, const float* __restrict__ weights,
                                             float* __restrict__ y, int channels)
{
    const int tx = threadIdx.x, ty = threadIdx.y, x0 = blockIdx.x * 32, y0 = blockIdx.y * ROWS, plane = blockIdx.z;
    const float* from = x + (size_t)plane * SIDE * SIDE;
    const float* w = weights + plane % channels * 25;
    float acc[ROWS_EACH] = {}, taps[25];
#pragma unroll
    for (int k = 0; k < 25; ++k) taps[k] = w[k];
#if IN_SHARED
    __shared__ float tile[ROWS + 4][36];
    for (int i = ty * 32 + tx; i < (ROWS + 4) * 36; i += 32 * BLOCK_Y) {
        const int yy = y0 + i / 36 - 2, xx = x0 + i % 36 - 2;
        tile[i / 36][i % 36] = yy >= 0 && yy < SIDE && xx >= 0 && xx < SIDE ? from[yy * SIDE + xx] : 0.0f;
    }
    __syncthreads();
#endif
#pragma unroll
    for (int r = 0; r < ROWS_EACH + 4; ++r)
#pragma unroll
        for (int s = 0; s < 5; ++s) {
#if IN_SHARED
            const float v = tile[ty * ROWS_EACH + r][tx + s];
#else
            const int yy = y0 + ty * ROWS_EACH + r - 2, xx = x0 + tx + s - 2;
            const float v = yy >= 0 && yy < SIDE && xx >= 0 && xx < SIDE ? from[yy * SIDE + xx] : 0.0f;
#endif
#pragma unroll
            for (int e = 0; e < ROWS_EACH; ++e)
                if (r - e >= 0 && r - e < 5) acc[e] += v * taps[(r - e) * 5 + s];
        }
#pragma unroll
    for (int e = 0; e < ROWS_EACH; ++e)
        y[(size_t)plane * SIDE * SIDE + (y0 + ty * ROWS_EACH + e) * SIDE + x0 + tx] = acc[e];
}
