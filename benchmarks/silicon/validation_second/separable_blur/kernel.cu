// Separable convolution as in CUDA's samples: AXIS 0 filters rows, 1 columns. Each thread makes RESULTS results, a
// block apart; on either side a halo of one more block is loaded. Beyond the image's edges there are zeros.
constexpr int SIZE = 2048, HALO = 1;
__constant__ float taps[17] = {0.011f, 0.018f, 0.029f, 0.042f, 0.058f, 0.075f, 0.091f, 0.104f, 0.144f,
                               0.104f, 0.091f, 0.075f, 0.058f, 0.042f, 0.029f, 0.018f, 0.011f};

extern "C" __global__ void separable_blur(const float* __restrict__ image, float* __restrict__ blurred)
{
#if AXIS == 0
    __shared__ float strip[8][(RESULTS + 2 * HALO) * BLOCK_X];
    const int base_x = (blockIdx.x * RESULTS - HALO) * BLOCK_X + threadIdx.x;
    const int y = blockIdx.y * 8 + threadIdx.y;
    const float* row = image + y * SIZE;
#pragma unroll
    for (int i = 0; i < RESULTS + 2 * HALO; i++) {
        const int x = base_x + i * BLOCK_X;
        strip[threadIdx.y][threadIdx.x + i * BLOCK_X] = x >= 0 && x < SIZE ? row[x] : 0.0f;
    }
    __syncthreads();
#pragma unroll
    for (int i = HALO; i < HALO + RESULTS; i++) {
        float sum = 0.0f;
#pragma unroll
        for (int j = -RADIUS; j <= RADIUS; j++) sum += taps[8 - j] * strip[threadIdx.y][threadIdx.x + i * BLOCK_X + j];
        blurred[y * SIZE + base_x + i * BLOCK_X] = sum;
    }
#else
    __shared__ float strip[BLOCK_X][(RESULTS + 2 * HALO) * 8 + 1];
    const int x = blockIdx.x * BLOCK_X + threadIdx.x;
    const int base_y = (blockIdx.y * RESULTS - HALO) * 8 + threadIdx.y;
#pragma unroll
    for (int i = 0; i < RESULTS + 2 * HALO; i++) {
        const int y = base_y + i * 8;
        strip[threadIdx.x][threadIdx.y + i * 8] = y >= 0 && y < SIZE ? image[y * SIZE + x] : 0.0f;
    }
    __syncthreads();
#pragma unroll
    for (int i = HALO; i < HALO + RESULTS; i++) {
        float sum = 0.0f;
#pragma unroll
        for (int j = -RADIUS; j <= RADIUS; j++) sum += taps[8 - j] * strip[threadIdx.x][threadIdx.y + i * 8 + j];
        blurred[(base_y + i * 8) * SIZE + x] = sum;
    }
#endif
}
