// Gradient of layer norm by its input for short rows from saved means and factors; LANES lanes have a row.
constexpr int OWN = COLS / (LANES * VEC);
struct alignas(VEC * 4) Pack { float v[VEC]; };

extern "C" __global__ void __launch_bounds__(THREADS)
layernorm_dx_f32_lanes(const Pack* __restrict__ dy, const Pack* __restrict__ x, const Pack* __restrict__ gamma,
                       const float* __restrict__ mean, const float* __restrict__ factor, Pack* __restrict__ dx)
{
    const int id = blockIdx.x * THREADS + threadIdx.x, row = id / LANES, lane = id % LANES;
    const size_t base = (size_t)row * (COLS / VEC) + lane;
    const float m = mean[row], f = factor[row];
    Pack h[OWN], g[OWN];
    float s = 0.0f, t = 0.0f;
#pragma unroll
    for (int i = 0; i < OWN; ++i) {
        const Pack w = gamma[i * LANES + lane];
        h[i] = x[base + i * LANES];
        g[i] = dy[base + i * LANES];
#pragma unroll
        for (int j = 0; j < VEC; ++j) {
            h[i].v[j] = (h[i].v[j] - m) * f;
            g[i].v[j] *= w.v[j];
            s += g[i].v[j];
            t += g[i].v[j] * h[i].v[j];
        }
    }
#pragma unroll
    for (int d = LANES / 2; d; d >>= 1) {
        s += __shfl_xor_sync(~0u, s, d);
        t += __shfl_xor_sync(~0u, t, d);
    }
    s *= 1.0f / COLS;
    t *= 1.0f / COLS;
#pragma unroll
    for (int i = 0; i < OWN; ++i) {
        Pack r;
#pragma unroll
        for (int j = 0; j < VEC; ++j) r.v[j] = f * (g[i].v[j] - s - h[i].v[j] * t);
        dx[base + i * LANES] = r;
    }
}
