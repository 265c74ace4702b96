// Adamax: the second moment is a running maximum.
constexpr int PACKS = 8388608 / VEC;
struct alignas(VEC * 4) Pack { float f[VEC]; };

extern "C" __global__ void __launch_bounds__(THREADS)
adamax_f32_grid_stride(Pack* __restrict__ p, const Pack* __restrict__ g, Pack* __restrict__ m, Pack* __restrict__ u)
{
    constexpr int U = UNROLL;
#pragma unroll U
    for (int i = blockIdx.x * THREADS + threadIdx.x; i < PACKS; i += BLOCKS * THREADS) {
        Pack w = p[i], a = m[i], b = u[i];
        const Pack d = g[i];
#pragma unroll
        for (int j = 0; j < VEC; ++j) {
            a.f[j] = 0.9f * a.f[j] + 0.1f * d.f[j];
            b.f[j] = fmaxf(0.999f * b.f[j], fabsf(d.f[j]) + 1e-8f);
            w.f[j] -= 0.002f * a.f[j] / b.f[j];
        }
        p[i] = w;
        m[i] = a;
        u[i] = b;
    }
}
