// Merton's jump diffusion; the second number of each pair of normals is the size of a jump, if there is one.
constexpr int STEPS = 64;

__device__ __forceinline__ unsigned drawn(unsigned& s)
{
    s ^= s << 13;
    s ^= s >> 17;
    s ^= s << 5;
    return s;
}

extern "C" __global__ void __launch_bounds__(THREADS)
merton_jump_paths_f32(const unsigned* __restrict__ seeds, float* __restrict__ payoff)
{
    const int first = blockIdx.x * THREADS * EACH + threadIdx.x;
    unsigned state[EACH];
    float log_price[EACH] = {};
#pragma unroll
    for (int e = 0; e < EACH; ++e) state[e] = seeds[first + e * THREADS] | 1u;
#pragma unroll 1
    for (int t = 0; t < STEPS; ++t)
#pragma unroll
        for (int e = 0; e < EACH; ++e) {
            const float u1 = (drawn(state[e]) >> 8) * 5.9604645e-8f + 3e-8f, u2 = (drawn(state[e]) >> 8) * 5.9604645e-8f;
            const unsigned jump = drawn(state[e]);
            float z, size;
            if (FAST) {
                const float r = __fsqrt_rn(-2.0f * __logf(u1));
                z = r * __cosf(6.2831853f * u2);
                size = r * __sinf(6.2831853f * u2);
            } else {
                const float r = sqrtf(-2.0f * logf(u1));
                float s, c;
                sincospif(2.0f * u2, &s, &c);
                z = r * c;
                size = r * s;
            }
            log_price[e] += 0.0004f + 0.02f * z;
            if (BRANCH) {
                if (jump < 0x08000000u) log_price[e] += -0.05f + 0.1f * size - 0.001f * (FAST ? __expf(0.1f * size) : expf(0.1f * size));
            } else {
                const float more = -0.05f + 0.1f * size - 0.001f * (FAST ? __expf(0.1f * size) : expf(0.1f * size));
                log_price[e] += jump < 0x08000000u ? more : 0.0f;
            }
        }
#pragma unroll
    for (int e = 0; e < EACH; ++e) payoff[first + e * THREADS] = fmaxf((FAST ? __expf(log_price[e]) : expf(log_price[e])) - 1.0f, 0.0f);
}
