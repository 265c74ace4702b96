// Values of credit default swaps: 20 quarters of a premium and a protection leg with a flat hazard rate and a curve of four rates.
#if FAST
#define EXP __expf
#define DIVIDE __fdividef
#else
#define EXP expf
#define DIVIDE(a, b) ((a) / (b))
#endif
constexpr int SWAPS = 1048576, QUARTERS = 20;

extern "C" __global__ void __launch_bounds__(THREADS)
cds_portfolio_legs(const float* __restrict__ data, const float* __restrict__ curve, float* __restrict__ values)
{
    const int first = blockIdx.x * THREADS * EACH + threadIdx.x;
    float hazard[EACH], recovery[EACH], coupon[EACH], length[EACH], premium[EACH], protection[EACH], survive[EACH];
#pragma unroll
    for (int e = 0; e < EACH; ++e) {
        const int i = first + e * THREADS;
#if TOGETHER
        const float4 p = reinterpret_cast<const float4*>(data)[i];
#else
        const float4 p = make_float4(data[i], data[i + SWAPS], data[i + 2 * SWAPS], data[i + 3 * SWAPS]);
#endif
        hazard[e] = 0.001f + 0.1f * p.x;
        recovery[e] = p.y;
        coupon[e] = 0.05f * p.z;
        length[e] = 0.2f + 0.1f * p.w;
        premium[e] = protection[e] = 0.0f;
        survive[e] = 1.0f;
    }
    const float r0 = curve[0], r1 = curve[1], r2 = curve[2], r3 = curve[3];
#pragma unroll 2
    for (int q = 1; q <= QUARTERS; ++q)
#pragma unroll
        for (int e = 0; e < EACH; ++e) {
            const float t = q * length[e];
            const float rate = 0.05f * (((r3 * 0.01f * t + r2 * 0.1f) * t + r1) * t + r0);
            const float discount = EXP(-rate * t), s = EXP(-hazard[e] * t);
            premium[e] += length[e] * discount * 0.5f * (s + survive[e]);
            protection[e] += discount * (survive[e] - s);
            survive[e] = s;
        }
#pragma unroll
    for (int e = 0; e < EACH; ++e)
        values[first + e * THREADS] = DIVIDE((1.0f - recovery[e]) * protection[e], premium[e]) - coupon[e];
}
