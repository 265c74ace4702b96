// Twice the size by bilinear interpolation of FP16 NHWC images of 64 x 64: a thread for a result, or one for the four results of a pixel.
#include <cuda_fp16.h>
constexpr int N = 64, C = CHANNELS / VEC;
struct alignas(VEC * 2) Pack { __half2 h[VEC / 2]; };

__device__ __forceinline__ Pack blend(const Pack& a, const Pack& b, const Pack& c, const Pack& d)
{
    Pack r;
#pragma unroll
    for (int j = 0; j < VEC / 2; ++j) {
        const float2 p = __half22float2(a.h[j]), q = __half22float2(b.h[j]), s = __half22float2(c.h[j]), t = __half22float2(d.h[j]);
        r.h[j] = __floats2half2_rn(0.5625f * p.x + 0.1875f * (q.x + s.x) + 0.0625f * t.x, 0.5625f * p.y + 0.1875f * (q.y + s.y) + 0.0625f * t.y);
    }
    return r;
}

extern "C" __global__ void __launch_bounds__(THREADS)
upsample2x_bilinear_nhwc_f16(const Pack* __restrict__ in, Pack* __restrict__ out)
{
    const int id = blockIdx.x * THREADS + threadIdx.x, c = id % C, pixel = id / C;
    if (BY_PIXEL) {
        const int x = pixel % N, y = pixel / N % N, image = pixel / (N * N);
        const Pack* from = in + (size_t)image * N * N * C + c;
        Pack* to = out + ((size_t)image * 4 * N * N + 4 * N * y + 2 * x) * C + c;
        Pack p[3][3];
#pragma unroll
        for (int i = 0; i < 9; ++i) p[i / 3][i % 3] = from[(min(max(y + i / 3 - 1, 0), N - 1) * N + min(max(x + i % 3 - 1, 0), N - 1)) * C];
#pragma unroll
        for (int i = 0; i < 4; ++i) {
            const int v = i / 2 * 2, u = i % 2 * 2;
            to[(i / 2 * 2 * N + i % 2) * C] = blend(p[1][1], p[1][u], p[v][1], p[v][u]);
        }
    } else {
        const int x = pixel % (2 * N), y = pixel / (2 * N) % (2 * N), image = pixel / (4 * N * N);
        const Pack* from = in + (size_t)image * N * N * C + c;
        const int u = min(max(x / 2 + x % 2 * 2 - 1, 0), N - 1), v = min(max(y / 2 + y % 2 * 2 - 1, 0), N - 1);
        out[id] = blend(from[(y / 2 * N + x / 2) * C], from[(y / 2 * N + u) * C], from[(v * N + x / 2) * C], from[(v * N + u) * C]);
    }
}
