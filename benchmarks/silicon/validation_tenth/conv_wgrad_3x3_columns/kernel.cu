// Eight images of 64 x 64 (with borders 66 x 66), 32 channels in and out; a thread has a column of 64 / SPLITS rows.
constexpr int TOGETHER = THREADS / 64, WARPS = THREADS / 32, ROWS = 64 / SPLITS;

extern "C" __global__ void __launch_bounds__(THREADS)
conv_wgrad_3x3_columns(const float* __restrict__ x, const float* __restrict__ dy, float* __restrict__ dw)
{
    __shared__ float part[WARPS][OT * 9];
    const int col = threadIdx.x % 64, c = blockIdx.x, o = blockIdx.y * OT, r0 = blockIdx.z * ROWS;
    float acc[OT][9] = {};
#pragma unroll 1
    for (int n = threadIdx.x / 64; n < 8; n += TOGETHER) {
        const float* from = x + ((n * 32 + c) * 66 + r0) * 66 + col;
        const float* grad = dy + ((n * 32 + o) * 64 + r0) * 64 + col;
        float w[9];
        if (SLIDE)
#pragma unroll
            for (int t = 3; t < 9; ++t) w[t] = from[(t / 3 - 1) * 66 + t % 3];
#pragma unroll 2
        for (int r = 0; r < ROWS; ++r) {
            if (SLIDE) {
#pragma unroll
                for (int t = 0; t < 6; ++t) w[t] = w[t + 3];
#pragma unroll
                for (int t = 0; t < 3; ++t) w[6 + t] = from[(r + 2) * 66 + t];
            } else {
#pragma unroll
                for (int t = 0; t < 9; ++t) w[t] = from[(r + t / 3) * 66 + t % 3];
            }
#pragma unroll
            for (int i = 0; i < OT; ++i) {
                const float g = grad[i * 4096 + r * 64];
#pragma unroll
                for (int t = 0; t < 9; ++t) acc[i][t] += g * w[t];
            }
        }
    }
#pragma unroll
    for (int i = 0; i < OT; ++i)
#pragma unroll
        for (int t = 0; t < 9; ++t) {
            float s = acc[i][t];
#pragma unroll
            for (int d = 16; d; d >>= 1) s += __shfl_xor_sync(~0u, s, d);
            if (threadIdx.x % 32 == 0) part[threadIdx.x / 32][i * 9 + t] = s;
        }
    __syncthreads();
    if (threadIdx.x < OT * 9) {
        float s = 0.0f;
#pragma unroll
        for (int w = 0; w < WARPS; ++w) s += part[w][threadIdx.x];
        float* to = dw + ((o + threadIdx.x / 9) * 32 + c) * 9 + threadIdx.x % 9;
        if (SPLITS == 1) *to = s;
        else atomicAdd(to, s);
    }
}
