#include <cuda_fp16.h>
// Eight images of 56 x 56 pixels with a border, 32 channels in and out; a thread makes two channels of PIX pixels in a row.
constexpr int C = 32, W = 58, SIDE = 56;

extern "C" __global__ void __launch_bounds__(128)
conv3x3_nhwc_half2(const half* __restrict__ x, const half2* __restrict__ w, half2* __restrict__ y)
{
    const int pair = threadIdx.x % 16, group = blockIdx.x * 8 + threadIdx.x / 16;
    const int ox = group % (SIDE / PIX) * PIX, oy = group / (SIDE / PIX) % SIDE, image = group / (SIDE / PIX * SIDE);
#if STAGED
    __shared__ half2 ws[9 * C * 16];
    for (int i = threadIdx.x; i < 9 * C * 16; i += 128) ws[i] = w[i];
    __syncthreads();
#define FILTER(i) ws[i]
#else
#define FILTER(i) w[i]
#endif
#if ACC32
    float2 acc[PIX];
#pragma unroll
    for (int p = 0; p < PIX; ++p) acc[p] = make_float2(0.0f, 0.0f);
#else
    half2 acc[PIX];
#pragma unroll
    for (int p = 0; p < PIX; ++p) acc[p] = __float2half2_rn(0.0f);
#endif
#pragma unroll 1
    for (int dy = 0; dy < 3; ++dy) {
        const half* from = x + ((size_t)(image * W + oy + dy) * W + ox) * C;
#pragma unroll 4
        for (int c = 0; c < C; c += 2) {
            half2 in[PIX + 2];
#pragma unroll
            for (int p = 0; p < PIX + 2; ++p) in[p] = *reinterpret_cast<const half2*>(from + p * C + c);
#pragma unroll
            for (int dx = 0; dx < 3; ++dx) {
                const half2 f0 = FILTER(((dy * 3 + dx) * C + c) * 16 + pair), f1 = FILTER(((dy * 3 + dx) * C + c + 1) * 16 + pair);
#pragma unroll
                for (int p = 0; p < PIX; ++p) {
#if ACC32
                    const float2 v = __half22float2(in[p + dx]), a = __half22float2(f0), b = __half22float2(f1);
                    acc[p].x += v.x * a.x + v.y * b.x;
                    acc[p].y += v.x * a.y + v.y * b.y;
#else
                    acc[p] = __hfma2(__low2half2(in[p + dx]), f0, acc[p]);
                    acc[p] = __hfma2(__high2half2(in[p + dx]), f1, acc[p]);
#endif
                }
            }
        }
    }
#pragma unroll
    for (int p = 0; p < PIX; ++p)
#if ACC32
        y[((size_t)(image * SIDE + oy) * SIDE + ox + p) * 16 + pair] = __floats2half2_rn(acc[p].x, acc[p].y);
#else
        y[((size_t)(image * SIDE + oy) * SIDE + ox + p) * 16 + pair] = acc[p];
#endif
}
