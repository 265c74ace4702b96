// Pairs of pixels with common colour differences to planes of red, green and blue.
struct alignas(WORDS * 4) From { unsigned w[WORDS]; };
struct alignas(WORDS * 2) To { unsigned short p[WORDS]; };

__device__ __forceinline__ unsigned clamped(int v)
{
    return min(max(v, 0), 255);
}

extern "C" __global__ void __launch_bounds__(THREADS)
yuyv_to_rgb_planes(const unsigned char* __restrict__ yuyv, unsigned char* __restrict__ red, unsigned char* __restrict__ green, unsigned char* __restrict__ blue)
{
    const int first = blockIdx.x * THREADS * EACH + threadIdx.x;
    From f[EACH];
#pragma unroll
    for (int i = 0; i < EACH; ++i) f[i] = reinterpret_cast<const From*>(yuyv)[first + i * THREADS];
#pragma unroll
    for (int i = 0; i < EACH; ++i) {
        To r, g, b;
#pragma unroll
        for (int j = 0; j < WORDS; ++j) {
            const unsigned w = f[i].w[j];
            const int u = (int)(w >> 8 & 255) - 128, v = (int)(w >> 24) - 128;
            unsigned rr = 0, gg = 0, bb = 0;
#pragma unroll
            for (int k = 0; k < 2; ++k) {
                const int y = (int)(w >> 16 * k & 255) - 16;
                if (WHOLE) {
                    rr |= clamped(298 * y + 409 * v + 128 >> 8) << 8 * k;
                    gg |= clamped(298 * y - 100 * u - 208 * v + 128 >> 8) << 8 * k;
                    bb |= clamped(298 * y + 516 * u + 128 >> 8) << 8 * k;
                } else {
                    const float l = 1.164f * y;
                    rr |= clamped(__float2int_rn(l + 1.596f * v)) << 8 * k;
                    gg |= clamped(__float2int_rn(l - 0.392f * u - 0.813f * v)) << 8 * k;
                    bb |= clamped(__float2int_rn(l + 2.017f * u)) << 8 * k;
                }
            }
            r.p[j] = rr;
            g.p[j] = gg;
            b.p[j] = bb;
        }
        reinterpret_cast<To*>(red)[first + i * THREADS] = r;
        reinterpret_cast<To*>(green)[first + i * THREADS] = g;
        reinterpret_cast<To*>(blue)[first + i * THREADS] = b;
    }
}
