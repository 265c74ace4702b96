// Decimation in frequency, output in bit-reversed order. A lane has the points lane + 32 * r of a transform.
constexpr int N = 32 * PER;

__device__ __forceinline__ float2 root(const float2* table, int j, int half)
{
    if (ROOTS == 2) return table[j * (N / 2 / half)];
    float2 w;
    const float part = -1.0f / half * j;
    if (ROOTS == 1) __sincosf(part * 3.14159265f, &w.y, &w.x);
    else sincospif(part, &w.y, &w.x);
    return w;
}

extern "C" __global__ void __launch_bounds__(128)
fft_warp_shuffle_dif(const float2* __restrict__ x, const float2* __restrict__ table, float2* __restrict__ y)
{
    const int lane = threadIdx.x % 32;
    const size_t first = (size_t)(blockIdx.x * 4 + threadIdx.x / 32) * EACH * N + lane;
    float2 v[EACH][PER];
#pragma unroll
    for (int e = 0; e < EACH; ++e)
#pragma unroll
        for (int r = 0; r < PER; ++r) v[e][r] = x[first + e * N + r * 32];
#pragma unroll
    for (int h = PER / 2; h; h >>= 1)
#pragma unroll
        for (int r = 0; r < PER; ++r)
            if (!(r & h)) {
                const float2 w = root(table, (r & (h - 1)) * 32 + lane, h * 32);
#pragma unroll
                for (int e = 0; e < EACH; ++e) {
                    const float2 a = v[e][r], b = v[e][r + h], d = make_float2(a.x - b.x, a.y - b.y);
                    v[e][r] = make_float2(a.x + b.x, a.y + b.y);
                    v[e][r + h] = make_float2(d.x * w.x - d.y * w.y, d.x * w.y + d.y * w.x);
                }
            }
#pragma unroll
    for (int h = 16; h; h >>= 1) {
        const float2 t = root(table, lane & (h - 1), h);
        const bool upper = lane & h;
        const float2 w = upper ? t : make_float2(1.0f, 0.0f);
        const float sign = upper ? -1.0f : 1.0f;
#pragma unroll
        for (int e = 0; e < EACH; ++e)
#pragma unroll
            for (int r = 0; r < PER; ++r) {
                const float px = __shfl_xor_sync(~0u, v[e][r].x, h), py = __shfl_xor_sync(~0u, v[e][r].y, h);
                const float dx = px + sign * v[e][r].x, dy = py + sign * v[e][r].y;
                v[e][r] = make_float2(dx * w.x - dy * w.y, dx * w.y + dy * w.x);
            }
    }
#pragma unroll
    for (int e = 0; e < EACH; ++e)
#pragma unroll
        for (int r = 0; r < PER; ++r) y[first + e * N + r * 32] = v[e][r];
}
