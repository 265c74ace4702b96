// 16,384 complex transforms of 256 points, four passes of radix 4 or two of 16, through shared memory between passes.
constexpr int N = 256, LANES = N / RADIX, LINE = PADDED ? N + N / 16 : N;

__device__ float2 times(float2 a, float2 b) { return make_float2(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x); }
__device__ int place(int i) { return PADDED ? i + i / 16 : i; }

__device__ void dft4(float2& a, float2& b, float2& c, float2& d)
{
    const float2 s = make_float2(a.x + c.x, a.y + c.y), t = make_float2(a.x - c.x, a.y - c.y);
    const float2 u = make_float2(b.x + d.x, b.y + d.y), v = make_float2(b.y - d.y, d.x - b.x);
    a = make_float2(s.x + u.x, s.y + u.y);
    b = make_float2(t.x + v.x, t.y + v.y);
    c = make_float2(s.x - u.x, s.y - u.y);
    d = make_float2(t.x - v.x, t.y - v.y);
}

__device__ void dft(float2 (&v)[RADIX])
{
#if RADIX == 4
    dft4(v[0], v[1], v[2], v[3]);
#else
    constexpr float C[10] = {1.0f, 0.92387953f, 0.70710678f, 0.38268343f, 0.0f, -0.38268343f, -0.70710678f, -0.92387953f, -1.0f, -0.92387953f};
    constexpr float S[10] = {0.0f, -0.38268343f, -0.70710678f, -0.92387953f, -1.0f, -0.92387953f, -0.70710678f, -0.38268343f, 0.0f, 0.38268343f};
#pragma unroll
    for (int i = 0; i < 4; ++i) dft4(v[i], v[i + 4], v[i + 8], v[i + 12]);
#pragma unroll
    for (int i = 1; i < 4; ++i)
#pragma unroll
        for (int j = 1; j < 4; ++j) v[i + 4 * j] = times(v[i + 4 * j], make_float2(C[i * j], S[i * j]));
#pragma unroll
    for (int j = 0; j < 4; ++j) dft4(v[4 * j], v[4 * j + 1], v[4 * j + 2], v[4 * j + 3]);
    float2 w[16];
#pragma unroll
    for (int i = 0; i < 16; ++i) w[i / 4 + i % 4 * 4] = v[i];
#pragma unroll
    for (int i = 0; i < 16; ++i) v[i] = w[i];
#endif
}

extern "C" __global__ void __launch_bounds__(LANES * BATCH)
fft256_radix_choice(const float2* __restrict__ x, const float2* __restrict__ roots, float2* __restrict__ y)
{
    __shared__ float2 lines[BATCH][LINE];
    const int j = threadIdx.x % LANES, which = threadIdx.x / LANES;
    const size_t base = ((size_t)blockIdx.x * BATCH + which) * N;
    float2 v[RADIX];
#pragma unroll
    for (int r = 0; r < RADIX; ++r) v[r] = x[base + j + r * LANES];
#pragma unroll
    for (int ns = 1; ns < N; ns *= RADIX) {
        const int k = j % ns;
        if (ns > 1) {
#pragma unroll
            for (int r = 1; r < RADIX; ++r) {
#if TABLE
                v[r] = times(v[r], roots[r * k * (N / (ns * RADIX))]);
#else
                float s, c;
                __sincosf(-6.2831853f / (ns * RADIX) * (r * k), &s, &c);
                v[r] = times(v[r], make_float2(c, s));
#endif
            }
        }
        dft(v);
        const int to = j / ns * ns * RADIX + k;
        if (ns * RADIX == N) {
#pragma unroll
            for (int r = 0; r < RADIX; ++r) y[base + to + r * ns] = v[r];
        } else {
            if (ns > 1) __syncthreads();
#pragma unroll
            for (int r = 0; r < RADIX; ++r) lines[which][place(to + r * ns)] = v[r];
            __syncthreads();
#pragma unroll
            for (int r = 0; r < RADIX; ++r) v[r] = lines[which][place(j + r * LANES)];
        }
    }
}
