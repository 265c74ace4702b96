// 131,072 bonds; a bond's value is a polynomial in the discount factor.
__device__ __forceinline__ float reciprocal(float f) { return FAST ? __fdividef(1.0f, f) : 1.0f / f; }

extern "C" __global__ void __launch_bounds__(128)
bond_yield_solve(const float* __restrict__ price, const float* __restrict__ rate, float* __restrict__ yields)
{
    float p[EACH], c[EACH], y[EACH];
    const int first = blockIdx.x * 128 * EACH + threadIdx.x;
#pragma unroll
    for (int e = 0; e < EACH; ++e) {
        p[e] = 0.8f + 0.4f * price[first + e * 128];
        c[e] = 0.01f + 0.08f * rate[first + e * 128];
        y[e] = c[e];
    }
    if (BISECT) {
        float low[EACH], high[EACH];
#pragma unroll
        for (int e = 0; e < EACH; ++e) {
            low[e] = -0.05f;
            high[e] = 0.3f;
        }
#pragma unroll 1
        for (int i = 0; i < 20; ++i) {
            float v[EACH], d[EACH];
#pragma unroll
            for (int e = 0; e < EACH; ++e) {
                y[e] = 0.5f * (low[e] + high[e]);
                d[e] = reciprocal(1.0f + y[e]);
                v[e] = 1.0f + c[e];
            }
#pragma unroll
            for (int k = 1; k < COUPONS; ++k)
#pragma unroll
                for (int e = 0; e < EACH; ++e) v[e] = v[e] * d[e] + c[e];
#pragma unroll
            for (int e = 0; e < EACH; ++e) {
                const bool above = v[e] * d[e] > p[e];
                low[e] = above ? y[e] : low[e];
                high[e] = above ? high[e] : y[e];
            }
        }
    } else {
#pragma unroll 1
        for (int i = 0; i < 6; ++i) {
            float v[EACH], s[EACH], d[EACH];
#pragma unroll
            for (int e = 0; e < EACH; ++e) {
                d[e] = reciprocal(1.0f + y[e]);
                v[e] = 1.0f + c[e];
                s[e] = 0.0f;
            }
#pragma unroll
            for (int k = 1; k < COUPONS; ++k)
#pragma unroll
                for (int e = 0; e < EACH; ++e) {
                    s[e] = s[e] * d[e] + v[e];
                    v[e] = v[e] * d[e] + c[e];
                }
#pragma unroll
            for (int e = 0; e < EACH; ++e) {
                s[e] = s[e] * d[e] + v[e];
                y[e] += (v[e] * d[e] - p[e]) * reciprocal(s[e] * d[e] * d[e]);
            }
        }
    }
#pragma unroll
    for (int e = 0; e < EACH; ++e) yields[first + e * 128] = y[e];
}
