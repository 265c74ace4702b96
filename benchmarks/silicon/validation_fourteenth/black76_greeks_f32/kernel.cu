// A quote is forward, strike, years and volatility, each put into a plausible range.
constexpr int N = 2097152;
constexpr float RATE = 0.03f;

__device__ __forceinline__ float ln(float f) { return FAST ? __logf(f) : logf(f); }
__device__ __forceinline__ float ex(float f) { return FAST ? __expf(f) : expf(f); }
__device__ __forceinline__ float quot(float a, float b) { return FAST ? __fdividef(a, b) : a / b; }
__device__ __forceinline__ float cdf(float d) { return 0.5f * erfcf(-0.70710678f * d); }

extern "C" __global__ void __launch_bounds__(THREADS)
black76_greeks_f32(const float4* __restrict__ quotes, float* __restrict__ out)
{
    const int first = blockIdx.x * THREADS * EACH + threadIdx.x;
    float4 q[EACH];
#pragma unroll
    for (int e = 0; e < EACH; ++e) q[e] = quotes[first + e * THREADS];
#pragma unroll
    for (int e = 0; e < EACH; ++e) {
        const int i = first + e * THREADS;
        const float f = 50.0f + 100.0f * q[e].x, k = 50.0f + 100.0f * q[e].y, t = 0.1f + 2.0f * q[e].z, v = 0.05f + 0.5f * q[e].w;
        const float root = sqrtf(t), sd = v * root, d1 = quot(ln(quot(f, k)), sd) + 0.5f * sd, d2 = d1 - sd;
        const float df = ex(-RATE * t), n1 = cdf(d1), n2 = cdf(d2), density = 0.39894228f * ex(-0.5f * d1 * d1);
        const float price = df * (f * n1 - k * n2), vega = df * f * density * root;
        const float r[6] = {price, df * n1, quot(df * density, f * sd), vega, RATE * price - quot(0.5f * v * vega, t), -t * price};
        if (PLANES) {
#pragma unroll
            for (int j = 0; j < 6; ++j) out[j * N + i] = r[j];
        } else {
            float2* to = reinterpret_cast<float2*>(out) + 3 * i;
#pragma unroll
            for (int j = 0; j < 3; ++j) to[j] = make_float2(r[2 * j], r[2 * j + 1]);
        }
    }
}
