// Fourier transforms of 4, 8 or 16 points in registers, a transform a thread, their numbers side by side or one
// transform after the other.
__device__ __forceinline__ float2 add(float2 a, float2 b) { return make_float2(a.x + b.x, a.y + b.y); }
__device__ __forceinline__ float2 sub(float2 a, float2 b) { return make_float2(a.x - b.x, a.y - b.y); }
__device__ __forceinline__ float2 mul(float2 a, float2 b) { return make_float2(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x); }

template <int N, int STRIDE>
__device__ __forceinline__ void transform(float2* v)
{
    if constexpr (N > 1) {
        transform<N / 2, 2 * STRIDE>(v);
        transform<N / 2, 2 * STRIDE>(v + STRIDE);
        constexpr float cosine[8] = {1.0f, 0.92387953f, 0.70710678f, 0.38268343f, 0.0f, -0.38268343f, -0.70710678f, -0.92387953f};
        constexpr float sine[8] = {0.0f, -0.38268343f, -0.70710678f, -0.92387953f, -1.0f, -0.92387953f, -0.70710678f, -0.38268343f};
        float2 r[N];
#pragma unroll
        for (int k = 0; k < N / 2; ++k) {
            const float2 odd = mul(v[2 * k * STRIDE + STRIDE], make_float2(cosine[k * 16 / N], sine[k * 16 / N]));
            r[k] = add(v[2 * k * STRIDE], odd);
            r[k + N / 2] = sub(v[2 * k * STRIDE], odd);
        }
#pragma unroll
        for (int k = 0; k < N; ++k) v[k * STRIDE] = r[k];
    }
}

extern "C" __global__ void fft_registers(const float2* __restrict__ src, float2* __restrict__ dst, int batch)
{
    const int t = blockIdx.x * THREADS + threadIdx.x;
    if (t >= batch) return;
    float2 v[POINTS];
#pragma unroll
    for (int k = 0; k < POINTS; ++k) v[k] = SIDE_BY_SIDE ? src[(size_t)k * batch + t] : src[(size_t)t * POINTS + k];
    transform<POINTS, 1>(v);
#pragma unroll
    for (int k = 0; k < POINTS; ++k) (SIDE_BY_SIDE ? dst[(size_t)k * batch + t] : dst[(size_t)t * POINTS + k]) = v[k];
}
