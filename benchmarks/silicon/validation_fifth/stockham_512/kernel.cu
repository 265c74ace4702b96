// Forward transforms of 4,096 rows, 64 threads a row; parts are exchanged together or in separate arrays.
constexpr int THREADS = 64 * BATCH;

__device__ float2 plus(float2 a, float2 b) { return make_float2(a.x + b.x, a.y + b.y); }
__device__ float2 minus(float2 a, float2 b) { return make_float2(a.x - b.x, a.y - b.y); }
__device__ float2 times(float2 a, float2 b) { return make_float2(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x); }

__device__ void four(const float2* a, float2* y)
{
    const float2 s = plus(a[0], a[2]), u = plus(a[1], a[3]), d = minus(a[0], a[2]), e = minus(a[1], a[3]);
    y[0] = plus(s, u);
    y[4] = minus(s, u);
    y[2] = make_float2(d.x + e.y, d.y - e.x);
    y[6] = make_float2(d.x - e.y, d.y + e.x);
}

__device__ void eight(float2* v)
{
    constexpr float R = 0.70710678f;
    float2 a[4], b[4];
#pragma unroll
    for (int k = 0; k < 4; ++k) {
        a[k] = plus(v[k], v[k + 4]);
        b[k] = minus(v[k], v[k + 4]);
    }
    b[1] = make_float2(R * (b[1].x + b[1].y), R * (b[1].y - b[1].x));
    b[2] = make_float2(b[2].y, -b[2].x);
    b[3] = make_float2(R * (b[3].y - b[3].x), -R * (b[3].x + b[3].y));
    four(a, v);
    four(b, v + 1);
}

extern "C" __global__ void __launch_bounds__(THREADS)
stockham_512(const float2* __restrict__ x, float2* __restrict__ y)
{
#if SPLIT
    __shared__ float re[BATCH][512], im[BATCH][512];
#else
    __shared__ float2 both[BATCH][512];
#endif
#if TABLE
    __shared__ float2 factors[512];
    for (int i = threadIdx.x; i < 512; i += THREADS) {
        float s, c;
        __sincosf(i * (-6.2831853f / 512), &s, &c);
        factors[i] = make_float2(c, s);
    }
#endif
    const int t = threadIdx.x % 64, local = threadIdx.x / 64;
    const size_t base = (size_t)(blockIdx.x * BATCH + local) * 512;
    float2 v[8];
#pragma unroll
    for (int r = 0; r < 8; ++r) v[r] = x[base + r * 64 + t];
    eight(v);
#pragma unroll
    for (int pass = 1; pass < 3; ++pass) {
        const int before = pass == 1 ? 1 : 8, now = before * 8;
        if (pass == 2) __syncthreads();
#pragma unroll
        for (int r = 0; r < 8; ++r) {
            const int at = t / before * before * 8 + t % before + r * before;
#if SPLIT
            re[local][at] = v[r].x;
            im[local][at] = v[r].y;
#else
            both[local][at] = v[r];
#endif
        }
        __syncthreads();
        const int turn = t % now * (64 / now);
#pragma unroll
        for (int r = 0; r < 8; ++r) {
#if SPLIT
            v[r] = make_float2(re[local][r * 64 + t], im[local][r * 64 + t]);
#else
            v[r] = both[local][r * 64 + t];
#endif
            if (r > 0) {
#if TABLE
                v[r] = times(v[r], factors[turn * r]);
#else
                float s, c;
                __sincosf(turn * r * (-6.2831853f / 512), &s, &c);
                v[r] = times(v[r], make_float2(c, s));
#endif
            }
        }
        eight(v);
    }
#pragma unroll
    for (int r = 0; r < 8; ++r) y[base + r * 64 + t] = v[r];
}
