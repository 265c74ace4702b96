// Six steps of Newton's method or four of Halley's; bodies of a thread are 256 apart.
extern "C" __global__ void __launch_bounds__(256)
kepler_newton_each(const float* __restrict__ anomaly, const float* __restrict__ eccentricity, float2* __restrict__ place)
{
    float m[EACH], e[EACH], x[EACH], s[EACH], c[EACH];
    const int first = blockIdx.x * EACH * 256 + threadIdx.x;
#pragma unroll
    for (int i = 0; i < EACH; ++i) {
        m[i] = 6.2831853f * anomaly[first + i * 256];
        e[i] = 0.9f * eccentricity[first + i * 256];
        x[i] = m[i] + 0.5f * e[i];
    }
#pragma unroll 1
    for (int k = 0; k < (HALLEY ? 4 : 6); ++k)
#pragma unroll
        for (int i = 0; i < EACH; ++i) {
            if (FAST) __sincosf(x[i], &s[i], &c[i]);
            else sincosf(x[i], &s[i], &c[i]);
            const float f = x[i] - e[i] * s[i] - m[i], g = 1.0f - e[i] * c[i];
            if (HALLEY) x[i] -= __fdividef(2.0f * f * g, 2.0f * g * g - f * e[i] * s[i]);
            else x[i] -= __fdividef(f, g);
        }
#pragma unroll
    for (int i = 0; i < EACH; ++i) {
        if (FAST) __sincosf(x[i], &s[i], &c[i]);
        else sincosf(x[i], &s[i], &c[i]);
        place[first + i * 256] = make_float2(c[i] - e[i], sqrtf(1.0f - e[i] * e[i]) * s[i]);
    }
}
