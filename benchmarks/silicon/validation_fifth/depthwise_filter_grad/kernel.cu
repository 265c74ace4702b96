// dW of a depthwise convolution of 56 x 56 planes, 128 channels, 12 images; partial sums for each group of images.
constexpr int SIDE = 56, CHANNELS = 128, R = KSIZE / 2, TAPS = KSIZE * KSIZE, STRIPS = THREADS / SIDE, ROWS = SIDE / STRIPS;
constexpr int WARPS = (THREADS + 31) / 32;

extern "C" __global__ void __launch_bounds__(THREADS)
depthwise_filter_grad(const float* __restrict__ x, const float* __restrict__ dy, float* __restrict__ dw)
{
    __shared__ float parts[WARPS * 32 + 32];
    const int t = threadIdx.x, col = t % SIDE, strip = t / SIDE;
    float sum[KSIZE][KSIZE] = {};
    for (int n = 0; n < IMAGES_EACH; ++n) {
        const int plane = ((blockIdx.y * IMAGES_EACH + n) * CHANNELS + blockIdx.x) * SIDE * SIDE;
        auto get = [&](int row, int c) {
            return row >= 0 && row < SIDE && c >= 0 && c < SIDE ? x[plane + row * SIDE + c] : 0.0f;
        };
#if MARCH
        float window[KSIZE][KSIZE];
#pragma unroll
        for (int i = 0; i < KSIZE - 1; ++i)
#pragma unroll
            for (int j = 0; j < KSIZE; ++j) window[i + 1][j] = get(strip * ROWS + i - R, col + j - R);
#endif
#pragma unroll 2
        for (int r = 0; r < ROWS; ++r) {
            const int row = strip * ROWS + r;
            const float g = dy[plane + row * SIDE + col];
#if MARCH
#pragma unroll
            for (int i = 0; i < KSIZE - 1; ++i)
#pragma unroll
                for (int j = 0; j < KSIZE; ++j) window[i][j] = window[i + 1][j];
#pragma unroll
            for (int j = 0; j < KSIZE; ++j) window[KSIZE - 1][j] = get(row + R, col + j - R);
#endif
#pragma unroll
            for (int i = 0; i < KSIZE; ++i)
#pragma unroll
                for (int j = 0; j < KSIZE; ++j)
#if MARCH
                    sum[i][j] += g * window[i][j];
#else
                    sum[i][j] += g * get(row + i - R, col + j - R);
#endif
        }
    }
#pragma unroll
    for (int k = 0; k < TAPS; ++k) {
        __syncthreads();
        parts[t] = sum[k / KSIZE][k % KSIZE];
        __syncthreads();
        if (t < 32) {
            float total = 0.0f;
            for (int i = t; i < THREADS; i += 32) total += parts[i];
#pragma unroll
            for (int d = 16; d > 0; d >>= 1) total += __shfl_down_sync(0xffffffff, total, d);
            if (t == 0) dw[(blockIdx.y * CHANNELS + blockIdx.x) * TAPS + k] = total;
        }
    }
}
