// 2,048 x 2,048 results of a padded picture with rows of 2,096 numbers; pixels of a thread are 32 apart.
constexpr int PITCH = 2096, WIDTH = 32 * PX + TAPS - 1, HEIGHT = BLOCK_Y + TAPS - 1;
__constant__ float weights[TAPS * TAPS];

extern "C" __global__ void __launch_bounds__(32 * BLOCK_Y)
conv_gray_constant_taps(const float* __restrict__ x, float* __restrict__ y)
{
    __shared__ float tile[STAGED ? HEIGHT * WIDTH : 1];
    const int c0 = blockIdx.x * 32 * PX, r0 = blockIdx.y * BLOCK_Y;
    if (STAGED) {
        for (int r = threadIdx.y; r < HEIGHT; r += BLOCK_Y)
            for (int c = threadIdx.x; c < WIDTH; c += 32) tile[r * WIDTH + c] = x[(r0 + r) * PITCH + c0 + c];
        __syncthreads();
    }
    const float* from = STAGED ? tile + threadIdx.y * WIDTH + threadIdx.x : x + (r0 + threadIdx.y) * PITCH + c0 + threadIdx.x;
    constexpr int STEP = STAGED ? WIDTH : PITCH;
    float acc[PX] = {};
#pragma unroll
    for (int r = 0; r < TAPS; ++r)
#pragma unroll
        for (int c = 0; c < TAPS; ++c) {
            const float w = weights[r * TAPS + c];
#pragma unroll
            for (int p = 0; p < PX; ++p) acc[p] += w * from[r * STEP + c + p * 32];
        }
#pragma unroll
    for (int p = 0; p < PX; ++p) y[(r0 + threadIdx.y) * 2048 + c0 + p * 32 + threadIdx.x] = acc[p];
}
