// Sixteen-point transforms down columns in registers.
constexpr int W = 4096, ALL = 128 * 16 * W;
struct alignas(COLS * 4) Pack { float f[COLS]; };

__device__ __forceinline__ void turned(float& re, float& im, int k)
{
    constexpr float C[10] = {1.0f, 0.92387953f, 0.70710678f, 0.38268343f, 0.0f, -0.38268343f, -0.70710678f, -0.92387953f, -1.0f, -0.92387953f};
    constexpr float S[10] = {0.0f, -0.38268343f, -0.70710678f, -0.92387953f, -1.0f, -0.92387953f, -0.70710678f, -0.38268343f, 0.0f, 0.38268343f};
    const float a = re * C[k] - im * S[k], b = re * S[k] + im * C[k];
    re = a;
    im = b;
}

extern "C" __global__ void __launch_bounds__(THREADS)
fft16_columns_f32(const float* __restrict__ x, float* __restrict__ y)
{
    const int col = (blockIdx.x * THREADS + threadIdx.x) * COLS, base = blockIdx.y * 16 * W + col;
    float re[COLS][16], im[COLS][16];
#pragma unroll
    for (int i = 0; i < 16; ++i) {
        if (PLANES) {
            const Pack a = *reinterpret_cast<const Pack*>(x + base + i * W), b = *reinterpret_cast<const Pack*>(x + ALL + base + i * W);
#pragma unroll
            for (int c = 0; c < COLS; ++c) re[c][i] = a.f[c], im[c][i] = b.f[c];
        } else {
            const Pack a = *reinterpret_cast<const Pack*>(x + 2 * (base + i * W)), b = *reinterpret_cast<const Pack*>(x + 2 * (base + i * W) + COLS);
            if (COLS == 1) re[0][i] = a.f[0], im[0][i] = b.f[0];
            else {
                re[0][i] = a.f[0], im[0][i] = a.f[COLS - 1];
                re[COLS - 1][i] = b.f[0], im[COLS - 1][i] = b.f[COLS - 1];
            }
        }
    }
#pragma unroll
    for (int c = 0; c < COLS; ++c) {
        if (RADIX == 2) {
#pragma unroll
            for (int h = 8; h; h >>= 1)
#pragma unroll
                for (int i = 0; i < 16; ++i)
                    if ((i & h) == 0) {
                        const float ar = re[c][i], ai = im[c][i], br = re[c][i + h], bi = im[c][i + h];
                        re[c][i] = ar + br;
                        im[c][i] = ai + bi;
                        re[c][i + h] = ar - br;
                        im[c][i + h] = ai - bi;
                        turned(re[c][i + h], im[c][i + h], i % h * (8 / h));
                    }
        } else {
#pragma unroll
            for (int h = 4; h; h >>= 2)
#pragma unroll
                for (int g = 0; g < 4; ++g) {
                    const int i = h == 4 ? g : 4 * g, k = h == 4 ? g : 0;
                    const float r0 = re[c][i] + re[c][i + 2 * h], i0 = im[c][i] + im[c][i + 2 * h], r1 = re[c][i] - re[c][i + 2 * h], i1 = im[c][i] - im[c][i + 2 * h];
                    const float r2 = re[c][i + h] + re[c][i + 3 * h], i2 = im[c][i + h] + im[c][i + 3 * h], r3 = re[c][i + h] - re[c][i + 3 * h], i3 = im[c][i + h] - im[c][i + 3 * h];
                    re[c][i] = r0 + r2, im[c][i] = i0 + i2;
                    re[c][i + h] = r0 - r2, im[c][i + h] = i0 - i2;
                    re[c][i + 2 * h] = r1 + i3, im[c][i + 2 * h] = i1 - r3;
                    re[c][i + 3 * h] = r1 - i3, im[c][i + 3 * h] = i1 + r3;
                    turned(re[c][i + h], im[c][i + h], 2 * k);
                    turned(re[c][i + 2 * h], im[c][i + 2 * h], k);
                    turned(re[c][i + 3 * h], im[c][i + 3 * h], 3 * k);
                }
        }
    }
#pragma unroll
    for (int i = 0; i < 16; ++i) {
        const int to = (i & 1) << 3 | (i & 2) << 1 | (i & 4) >> 1 | (i & 8) >> 3;
        if (PLANES) {
            Pack a, b;
#pragma unroll
            for (int c = 0; c < COLS; ++c) a.f[c] = re[c][i], b.f[c] = im[c][i];
            *reinterpret_cast<Pack*>(y + base + to * W) = a;
            *reinterpret_cast<Pack*>(y + ALL + base + to * W) = b;
        } else
#pragma unroll
            for (int c = 0; c < COLS; ++c) reinterpret_cast<float2*>(y)[base + to * W + c] = make_float2(re[c][i], im[c][i]);
    }
}
