// 8 images of 56 x 56 pixels of 128 channels, padded with zeros; a thread takes PX pixels of a row.
struct alignas(VEC * 4) Pack { float v[VEC]; };
constexpr int SIDE = 56, PACKS = 128 / VEC, STRIPS = SIDE / PX;

extern "C" __global__ void __launch_bounds__(THREADS)
depthwise7x7_nhwc_f32(const Pack* __restrict__ x, const Pack* __restrict__ w, Pack* __restrict__ y)
{
    const int i = blockIdx.x * THREADS + threadIdx.x, c = i % PACKS, x0 = i / PACKS % STRIPS * PX;
    const int row = i / PACKS / STRIPS, oy = row % SIDE, image = row / SIDE;
    Pack acc[PX] = {};
#pragma unroll 1
    for (int ky = 0; ky < 7; ++ky) {
        const int iy = oy + ky - 3;
        if (iy < 0 || iy >= SIDE) continue;
        const Pack* line = x + (size_t)(image * SIDE + iy) * SIDE * PACKS + c;
        Pack f[PX + 6];
#pragma unroll
        for (int p = 0; p < PX + 6; ++p) {
            const int ix = x0 + p - 3;
            if (ix >= 0 && ix < SIDE) f[p] = line[ix * PACKS];
            else f[p] = Pack{};
        }
#pragma unroll
        for (int kx = 0; kx < 7; ++kx) {
            const Pack g = w[(ky * 7 + kx) * PACKS + c];
#pragma unroll
            for (int p = 0; p < PX; ++p)
#pragma unroll
                for (int j = 0; j < VEC; ++j) acc[p].v[j] += g.v[j] * f[p + kx].v[j];
        }
    }
#pragma unroll
    for (int p = 0; p < PX; ++p) y[((size_t)row * SIDE + x0 + p) * PACKS + c] = acc[p];
}
