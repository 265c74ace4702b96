// Depthwise convolution of 7 x 7 over FP16 planes of 56 x 56 in shared memory, two pixels in a row and RUN rows a thread.
#include <cuda_fp16.h>
constexpr int N = 56, LD = 64, ITEMS = 28 * (N / RUN);

extern "C" __global__ void __launch_bounds__(THREADS)
depthwise7_nchw_f16_plane(const __half2* __restrict__ in, const __half* __restrict__ filter, __half2* __restrict__ out)
{
    __shared__ __half2 tile[62][LD / 2];
    __shared__ __half taps[49];
    const size_t plane = (size_t)blockIdx.x * (N * N / 2);
    for (int i = threadIdx.x; i < 62 * (LD / 2); i += THREADS) {
        const int y = i / (LD / 2) - 3, x = i % (LD / 2) - 2;
        tile[i / (LD / 2)][i % (LD / 2)] = y >= 0 && y < N && x >= 0 && x < N / 2 ? in[plane + y * (N / 2) + x] : __float2half2_rn(0.0f);
    }
    for (int i = threadIdx.x; i < 49; i += THREADS) taps[i] = filter[blockIdx.x % 128 * 49 + i];
    __syncthreads();
    for (int item = threadIdx.x; item < ITEMS; item += THREADS) {
        const int x = item % 28, y0 = item / 28 * RUN;
        float2 sum[RUN] = {};
        __half2 half_sum[RUN];
#pragma unroll
        for (int r = 0; r < RUN; ++r) half_sum[r] = __float2half2_rn(0.0f);
#pragma unroll
        for (int y = 0; y < RUN + 6; ++y) {
            __half2 p[5];
#pragma unroll
            for (int i = 0; i < 5; ++i) p[i] = tile[y0 + y][x + i];
#pragma unroll
            for (int c = 0; c < 7; ++c) {
                const __half2 v = c % 2 ? p[(c + 1) / 2] : __halves2half2(__high2half(p[c / 2]), __low2half(p[c / 2 + 1]));
#pragma unroll
                for (int r = 0; r < RUN; ++r) {
                    if (y - r < 0 || y - r > 6) continue;
                    const __half w = taps[(y - r) * 7 + c];
                    if (PACKED) {
                        half_sum[r] = __hfma2(__half2half2(w), v, half_sum[r]);
                    } else {
                        const float2 f = __half22float2(v);
                        sum[r].x += __half2float(w) * f.x;
                        sum[r].y += __half2float(w) * f.y;
                    }
                }
            }
        }
#pragma unroll
        for (int r = 0; r < RUN; ++r)
            out[plane + (y0 + r) * (N / 2) + x] = PACKED ? half_sum[r] : __floats2half2_rn(sum[r].x, sum[r].y);
    }
}
