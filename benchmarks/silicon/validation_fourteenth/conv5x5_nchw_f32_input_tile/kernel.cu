// Direct convolution with zeros around; a block has 32 columns, some rows and OC channels of an image.
constexpr int CI = 16, CO = 32, SIDE = 64, TY = BY * ROWS, TW = 36, TH = TY + 4, THREADS = 32 * BY;

extern "C" __global__ void __launch_bounds__(THREADS)
conv5x5_nchw_f32_input_tile(const float* __restrict__ x, const float* __restrict__ w, float* __restrict__ y)
{
    __shared__ float tile[TH][TW];
    __shared__ float taps[WSTAGED ? OC * 25 : 1];
    const int tx = threadIdx.x, ty = threadIdx.y, t = ty * 32 + tx, x0 = blockIdx.x * 32, y0 = blockIdx.y * TY;
    const int image = blockIdx.z / (CO / OC), o0 = blockIdx.z % (CO / OC) * OC;
    float acc[OC][ROWS] = {};
#pragma unroll 1
    for (int c = 0; c < CI; ++c) {
        __syncthreads();
        for (int i = t; i < TH * TW; i += THREADS) {
            const int r = y0 + i / TW - 2, k = x0 + i % TW - 2;
            tile[i / TW][i % TW] = r >= 0 && r < SIDE && k >= 0 && k < SIDE ? x[((image * CI + c) * SIDE + r) * SIDE + k] : 0.0f;
        }
        if (WSTAGED)
            for (int i = t; i < OC * 25; i += THREADS) taps[i] = w[((o0 + i / 25) * CI + c) * 25 + i % 25];
        __syncthreads();
#pragma unroll
        for (int i = 0; i < 5; ++i)
#pragma unroll
            for (int j = 0; j < 5; ++j) {
                float f[ROWS];
#pragma unroll
                for (int r = 0; r < ROWS; ++r) f[r] = tile[ty + r * BY + i][tx + j];
#pragma unroll
                for (int o = 0; o < OC; ++o) {
                    const float tap = WSTAGED ? taps[o * 25 + i * 5 + j] : w[((o0 + o) * CI + c) * 25 + i * 5 + j];
#pragma unroll
                    for (int r = 0; r < ROWS; ++r) acc[o][r] += tap * f[r];
                }
            }
    }
#pragma unroll
    for (int o = 0; o < OC; ++o)
#pragma unroll
        for (int r = 0; r < ROWS; ++r) y[((image * CO + o0 + o) * SIDE + y0 + ty + r * BY) * SIDE + x0 + tx] = acc[o][r];
}
