// Layer norm of FP32 rows, a warp a row, moments by Welford's recurrence and merged across the lanes.
constexpr int PER_LANE = COLS / 32 / VEC;

struct alignas(4 * VEC) Pack { float v[VEC]; };

extern "C" __global__ void layer_norm_welford(const float* __restrict__ x, const float* __restrict__ gamma,
                                              const float* __restrict__ beta, float* __restrict__ y,
                                              float* __restrict__ mean_out, float* __restrict__ rstd_out, int rows)
{
    const int row = blockIdx.x * blockDim.y + threadIdx.y, lane = threadIdx.x;
    if (row >= rows) return;
    const Pack* in = reinterpret_cast<const Pack*>(x + (size_t)row * COLS);
    float mean = 0.0f, m2 = 0.0f, count = 0.0f;
#pragma unroll 4
    for (int i = 0; i < PER_LANE; ++i) {
        const Pack p = in[i * 32 + lane];
#pragma unroll
        for (int k = 0; k < VEC; ++k) {
            count += 1.0f;
            const float delta = p.v[k] - mean;
            mean += __fdividef(delta, count);
            m2 += delta * (p.v[k] - mean);
        }
    }
#pragma unroll
    for (int d = 16; d > 0; d >>= 1) {
        const float other = __shfl_xor_sync(0xffffffff, mean, d), other_m2 = __shfl_xor_sync(0xffffffff, m2, d);
        const float delta = other - mean;
        mean = 0.5f * (mean + other);
        m2 += other_m2 + delta * delta * count * 0.5f;
        count *= 2.0f;
    }
    const float rstd = rsqrtf(m2 / COLS + 1e-5f);
    if (lane == 0) {
        mean_out[row] = mean;
        rstd_out[row] = rstd;
    }
    Pack* out = reinterpret_cast<Pack*>(y + (size_t)row * COLS);
    const Pack* g = reinterpret_cast<const Pack*>(gamma);
    const Pack* b = reinterpret_cast<const Pack*>(beta);
#pragma unroll 4
    for (int i = 0; i < PER_LANE; ++i) {
        Pack p = in[i * 32 + lane];
        const Pack gg = g[i * 32 + lane], bb = b[i * 32 + lane];
#pragma unroll
        for (int k = 0; k < VEC; ++k) p.v[k] = (p.v[k] - mean) * rstd * gg.v[k] + bb.v[k];
        out[i * 32 + lane] = p;
    }
}
