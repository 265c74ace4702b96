// dx = y (dy - sum of y dy) for rows of COLS numbers; LANES lanes have a row.
constexpr int PARTS = COLS / LANES / VEC, SHORT = PARTS < 8 ? PARTS / 2 : 4, TURNS = STASH ? PARTS : SHORT;
struct alignas(VEC * 4) Pack { float v[VEC]; };

extern "C" __global__ void __launch_bounds__(128)
softmax_dx_f32_lanes(const Pack* __restrict__ y, const Pack* __restrict__ dy, Pack* __restrict__ dx)
{
    const int lane = threadIdx.x % LANES;
    const size_t row = (size_t)(blockIdx.x * (128 / LANES) + threadIdx.x / LANES) * (COLS / VEC);
    Pack a[STASH ? PARTS : 1], b[STASH ? PARTS : 1];
    float sum = 0.0f;
#pragma unroll TURNS
    for (int i = 0; i < PARTS; ++i) {
        const Pack p = y[row + i * LANES + lane], q = dy[row + i * LANES + lane];
        if (STASH) {
            a[i] = p;
            b[i] = q;
        }
#pragma unroll
        for (int j = 0; j < VEC; ++j) sum += p.v[j] * q.v[j];
    }
#pragma unroll
    for (int d = LANES / 2; d; d >>= 1) sum += __shfl_xor_sync(~0u, sum, d);
#pragma unroll TURNS
    for (int i = 0; i < PARTS; ++i) {
        const Pack p = STASH ? a[i] : y[row + i * LANES + lane], q = STASH ? b[i] : dy[row + i * LANES + lane];
        Pack r;
#pragma unroll
        for (int j = 0; j < VEC; ++j) r.v[j] = p.v[j] * (q.v[j] - sum);
        dx[row + i * LANES + lane] = r;
    }
}
