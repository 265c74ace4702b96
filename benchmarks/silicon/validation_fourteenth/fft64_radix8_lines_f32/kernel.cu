// X[m + 8 q] = sum over t of w8^(t q) w64^(t m) sum over k of w8^(k m) x[t + 8 k].
constexpr float HALF_ROOT = 0.70710678f;

__device__ __forceinline__ float2 mul(float2 a, float2 b) { return make_float2(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x); }
__device__ __forceinline__ void pair(float2& a, float2& b)
{
    const float2 s = make_float2(a.x + b.x, a.y + b.y);
    b = make_float2(a.x - b.x, a.y - b.y);
    a = s;
}

__device__ __forceinline__ void dft8(float2* v)
{
    pair(v[0], v[4]);
    pair(v[1], v[5]);
    pair(v[2], v[6]);
    pair(v[3], v[7]);
    v[5] = make_float2((v[5].x + v[5].y) * HALF_ROOT, (v[5].y - v[5].x) * HALF_ROOT);
    v[6] = make_float2(v[6].y, -v[6].x);
    v[7] = make_float2((v[7].y - v[7].x) * HALF_ROOT, -(v[7].x + v[7].y) * HALF_ROOT);
    pair(v[0], v[2]);
    pair(v[1], v[3]);
    v[3] = make_float2(v[3].y, -v[3].x);
    pair(v[0], v[1]);
    pair(v[2], v[3]);
    pair(v[4], v[6]);
    pair(v[5], v[7]);
    v[7] = make_float2(v[7].y, -v[7].x);
    pair(v[4], v[5]);
    pair(v[6], v[7]);
    const float2 r[8] = {v[0], v[4], v[2], v[6], v[1], v[5], v[3], v[7]};
#pragma unroll
    for (int i = 0; i < 8; ++i) v[i] = r[i];
}

extern "C" __global__ void __launch_bounds__(THREADS)
fft64_radix8_lines_f32(const float2* __restrict__ x, const float2* __restrict__ factors, float2* __restrict__ y)
{
    __shared__ float2 exchange[SHUFFLED ? 1 : THREADS / 8][8][9];
    const int lane = threadIdx.x % 8, group = threadIdx.x / 8;
#pragma unroll 1
    for (int turn = 0; turn < TURNS; ++turn) {
        const size_t base = (size_t)((blockIdx.x * TURNS + turn) * (THREADS / 8) + group) * 64 + lane;
        float2 v[8];
#pragma unroll
        for (int k = 0; k < 8; ++k) v[k] = x[base + 8 * k];
        dft8(v);
#pragma unroll
        for (int m = 1; m < 8; ++m) {
            float2 w;
            if (TABLE) w = factors[lane * m];
            else __sincosf(-0.09817477f * (float)(lane * m), &w.y, &w.x);
            v[m] = mul(v[m], w);
        }
        if (SHUFFLED) {
#pragma unroll
            for (int d = 1; d < 8; d *= 2)
#pragma unroll
                for (int i = 0; i < 8; ++i) {
                    if (i & d) continue;
                    const bool up = lane & d;
                    const float2 s = up ? v[i] : v[i | d];
                    const float2 g = make_float2(__shfl_xor_sync(~0u, s.x, d), __shfl_xor_sync(~0u, s.y, d));
                    if (up) v[i] = g;
                    else v[i | d] = g;
                }
        } else {
            __syncwarp();
#pragma unroll
            for (int m = 0; m < 8; ++m) exchange[SHUFFLED ? 0 : group][m][lane] = v[m];
            __syncwarp();
#pragma unroll
            for (int t = 0; t < 8; ++t) v[t] = exchange[SHUFFLED ? 0 : group][lane][t];
        }
        dft8(v);
#pragma unroll
        for (int q = 0; q < 8; ++q) y[base + 8 * q] = v[q];
    }
}
