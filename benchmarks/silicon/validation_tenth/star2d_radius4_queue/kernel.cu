// 2,048 x 4,096 places with a border; a row of x has 4,112 numbers. By shuffles a warp has 24 results.
constexpr int LD = 4112;

extern "C" __global__ void __launch_bounds__(THREADS)
star2d_radius4_queue(const float* __restrict__ x, float* __restrict__ y)
{
    __shared__ float row[2][ACROSS == 1 ? THREADS + 8 : 1];
    const float w[5] = {-0.5f, 0.2f, 0.1f, 0.05f, 0.02f};
    const int lane = threadIdx.x % 32, r0 = blockIdx.y * ROWS;
    const int col = ACROSS == 2 ? (blockIdx.x * (THREADS / 32) + threadIdx.x / 32) * 24 + lane - 4 : blockIdx.x * THREADS + threadIdx.x;
    const int safe = min(col, 4103);
    const float* from = x + r0 * LD + safe + 4;
    float q[9];
#pragma unroll
    for (int i = 0; i < 8; ++i) q[i + 1] = from[i * LD];
#pragma unroll 3
    for (int r = 0; r < ROWS; ++r) {
#pragma unroll
        for (int i = 0; i < 8; ++i) q[i] = q[i + 1];
        q[8] = from[(r + 8) * LD];
        float sum = w[0] * q[4];
#pragma unroll
        for (int i = 1; i < 5; ++i) sum += w[i] * (q[4 - i] + q[4 + i]);
        if (ACROSS == 0) {
#pragma unroll
            for (int i = 1; i < 5; ++i) sum += w[i] * (from[(r + 4) * LD - i] + from[(r + 4) * LD + i]);
        } else if (ACROSS == 1) {
            float* to = row[r % 2];
            to[threadIdx.x + 4] = q[4];
            if (threadIdx.x < 4) to[threadIdx.x] = from[(r + 4) * LD - 4];
            else if (threadIdx.x >= THREADS - 4) to[threadIdx.x + 8] = from[(r + 4) * LD + 4];
            __syncthreads();
#pragma unroll
            for (int i = 1; i < 5; ++i) sum += w[i] * (to[threadIdx.x + 4 - i] + to[threadIdx.x + 4 + i]);
        } else {
#pragma unroll
            for (int i = 1; i < 5; ++i) sum += w[i] * (__shfl_up_sync(~0u, q[4], i) + __shfl_down_sync(~0u, q[4], i));
        }
        if (col < 4096 && (ACROSS < 2 || (lane >= 4 && lane < 28))) y[(r0 + r) * 4096 + col] = sum;
    }
}
