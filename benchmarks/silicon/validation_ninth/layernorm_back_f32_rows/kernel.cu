// Gradient of layer norm by its input, a warp a row; both rows stay in registers.
constexpr int PARTS = COLS / 32 / VEC;
struct alignas(VEC * 4) Pack { float v[VEC]; };

__device__ __forceinline__ float warp_sum(float v)
{
#pragma unroll
    for (int d = 16; d; d >>= 1) v += __shfl_xor_sync(~0u, v, d);
    return v;
}

extern "C" __global__ void __launch_bounds__(32 * WARPS)
layernorm_back_f32_rows(const Pack* __restrict__ x, const Pack* __restrict__ dy, const Pack* __restrict__ gamma,
                        Pack* __restrict__ dx)
{
    const size_t at = (size_t)(blockIdx.x * WARPS + threadIdx.y) * (COLS / VEC) + threadIdx.x;
    Pack a[PARTS], g[PARTS];
    float s = 0.0f, q = 0.0f;
#pragma unroll
    for (int i = 0; i < PARTS; ++i) {
        a[i] = x[at + i * 32];
        g[i] = dy[at + i * 32];
#pragma unroll
        for (int j = 0; j < VEC; ++j) s += a[i].v[j];
    }
    const float mean = warp_sum(s) / COLS;
#pragma unroll
    for (int i = 0; i < PARTS; ++i)
#pragma unroll
        for (int j = 0; j < VEC; ++j) {
            a[i].v[j] -= mean;
            q += a[i].v[j] * a[i].v[j];
        }
    const float r = rsqrtf(warp_sum(q) / COLS + 1.0e-5f);
    s = q = 0.0f;
#pragma unroll
    for (int i = 0; i < PARTS; ++i) {
        const Pack w = gamma[i * 32 + threadIdx.x];
#pragma unroll
        for (int j = 0; j < VEC; ++j) {
            a[i].v[j] *= r;
            g[i].v[j] *= w.v[j];
            s += g[i].v[j];
            q += g[i].v[j] * a[i].v[j];
        }
    }
    s = warp_sum(s) / COLS;
    q = warp_sum(q) / COLS;
#pragma unroll
    for (int i = 0; i < PARTS; ++i) {
        Pack p;
#pragma unroll
        for (int j = 0; j < VEC; ++j) p.v[j] = r * (g[i].v[j] - s - a[i].v[j] * q);
        dx[at + i * 32] = p;
    }
}
