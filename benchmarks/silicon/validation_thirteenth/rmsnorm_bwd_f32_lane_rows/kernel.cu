// Gradient of RMS norm by its FP32 input; LANES lanes have a row, of which the compiler may keep what fits.
constexpr int PACKS = COLS / VEC, V = PACKS / LANES;
struct alignas(VEC * 4) Pack { float f[VEC]; };

extern "C" __global__ void __launch_bounds__(THREADS)
rmsnorm_bwd_f32_lane_rows(const Pack* __restrict__ x, const Pack* __restrict__ dy, const Pack* __restrict__ weight,
                          const float* __restrict__ scale, Pack* __restrict__ dx)
{
    const int id = blockIdx.x * THREADS + threadIdx.x, row = id / LANES, lane = id % LANES;
    const Pack *a = x + (size_t)row * PACKS + lane, *g = dy + (size_t)row * PACKS + lane;
    const float s = scale[row];
    float sum = 0.0f;
#pragma unroll
    for (int i = 0; i < V; ++i) {
        const Pack p = a[i * LANES], q = g[i * LANES], w = weight[lane + i * LANES];
#pragma unroll
        for (int j = 0; j < VEC; ++j) sum += p.f[j] * q.f[j] * w.f[j];
    }
#pragma unroll
    for (int d = LANES / 2; d; d >>= 1) sum += __shfl_xor_sync(~0u, sum, d);
    const float back = sum * s * s / COLS;
#pragma unroll
    for (int i = 0; i < V; ++i) {
        const Pack p = a[i * LANES], q = g[i * LANES], w = weight[lane + i * LANES];
        Pack o;
#pragma unroll
        for (int j = 0; j < VEC; ++j) o.f[j] = s * (q.f[j] * w.f[j] - p.f[j] * back);
        dx[(size_t)row * PACKS + lane + i * LANES] = o;
    }
}
