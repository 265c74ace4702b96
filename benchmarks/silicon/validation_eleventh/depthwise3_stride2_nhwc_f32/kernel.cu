// Depthwise convolution of 3 x 3 with stride two from 112 x 112 to 56 x 56 places of 64 channels, zeros around.
struct alignas(VEC * 4) Pack { float v[VEC]; };
constexpr int WIDE = 64 / VEC;

extern "C" __global__ void __launch_bounds__(THREADS)
depthwise3_stride2_nhwc_f32(const Pack* __restrict__ x, const Pack* __restrict__ w, Pack* __restrict__ y)
{
    const int id = blockIdx.x * THREADS + threadIdx.x, c = id % WIDE, ox = id / WIDE % (56 / PER) * PER;
    const int oy = id / WIDE / (56 / PER) % 56, n = id / WIDE / (56 / PER) / 56;
    Pack f[9], acc[PER];
#pragma unroll
    for (int i = 0; i < 9; ++i) f[i] = w[i * WIDE + c];
#pragma unroll
    for (int p = 0; p < PER; ++p)
#pragma unroll
        for (int j = 0; j < VEC; ++j) acc[p].v[j] = 0.0f;
#pragma unroll
    for (int ky = 0; ky < 3; ++ky) {
        const int iy = 2 * oy - 1 + ky;
        if (iy < 0) continue;
        const Pack* row = x + (size_t)(n * 112 + iy) * 112 * WIDE + c;
#pragma unroll
        for (int i = 0; i < 2 * PER + 1; ++i) {
            const int ix = 2 * ox - 1 + i;
            if (ix < 0) continue;
            const Pack v = row[ix * WIDE];
#pragma unroll
            for (int p = 0; p < PER; ++p)
                if (i - 2 * p >= 0 && i - 2 * p < 3)
#pragma unroll
                    for (int j = 0; j < VEC; ++j) acc[p].v[j] += v.v[j] * f[ky * 3 + i - 2 * p].v[j];
        }
    }
#pragma unroll
    for (int p = 0; p < PER; ++p) y[((size_t)(n * 56 + oy) * 56 + ox + p) * WIDE + c] = acc[p];
}
