// A pass of a Stockham FFT of 4,194,304 complex numbers: RADIX numbers a quarter, an eighth or half of the array
// apart, twiddled, transformed in registers and written SPAN apart.
__device__ __forceinline__ float2 mul(float2 a, float2 b)
{
    return make_float2(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
}

__device__ __forceinline__ void butterfly(float2& a, float2& b)
{
    const float2 t = a;
    a = make_float2(t.x + b.x, t.y + b.y);
    b = make_float2(t.x - b.x, t.y - b.y);
}

__device__ void transform(float2 (&v)[2]) { butterfly(v[0], v[1]); }

__device__ void transform(float2 (&v)[4])
{
    butterfly(v[0], v[2]);
    butterfly(v[1], v[3]);
    v[3] = make_float2(v[3].y, -v[3].x);
    butterfly(v[0], v[1]);
    butterfly(v[2], v[3]);
    const float2 t = v[1];
    v[1] = v[2];
    v[2] = t;
}

__device__ void transform(float2 (&v)[8])
{
    float2 even[4] = {v[0], v[2], v[4], v[6]}, odd[4] = {v[1], v[3], v[5], v[7]};
    transform(even);
    transform(odd);
    odd[1] = mul(odd[1], make_float2(0.70710678f, -0.70710678f));
    odd[2] = make_float2(odd[2].y, -odd[2].x);
    odd[3] = mul(odd[3], make_float2(-0.70710678f, -0.70710678f));
#pragma unroll
    for (int i = 0; i < 4; ++i) {
        butterfly(even[i], odd[i]);
        v[i] = even[i];
        v[i + 4] = odd[i];
    }
}

extern "C" __global__ void fft_pass(const float2* __restrict__ signal, float2* __restrict__ spectrum)
{
    constexpr int n = 4194304;
    const int j = blockIdx.x * THREADS + threadIdx.x;
    const float angle = -6.2831853f * (j % SPAN) / (SPAN * RADIX);
    float2 v[RADIX];
#pragma unroll
    for (int r = 0; r < RADIX; ++r) {
        float2 w;
        sincosf(r * angle, &w.y, &w.x);
        v[r] = mul(signal[j + r * (n / RADIX)], w);
    }
    transform(v);
    const int at = j / SPAN * SPAN * RADIX + j % SPAN;
#pragma unroll
    for (int r = 0; r < RADIX; ++r) spectrum[at + r * SPAN] = v[r];
}
