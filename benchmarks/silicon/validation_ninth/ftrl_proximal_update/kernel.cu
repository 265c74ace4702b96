// A weight's z, n, w and gradient are neighbours or 8,388,608 numbers apart.
constexpr int COUNT = 8388608;

__device__ __forceinline__ float root(float v)
{
    const float s = fmaxf(v, 1.0e-20f);
    return FAST ? s * rsqrtf(s) : sqrtf(s);
}

extern "C" __global__ void __launch_bounds__(256)
ftrl_proximal_update(float* __restrict__ state)
{
    float4 s[EACH];
#pragma unroll
    for (int e = 0; e < EACH; ++e) {
        const int i = (blockIdx.x * EACH + e) * 256 + threadIdx.x;
        if (TOGETHER) s[e] = reinterpret_cast<const float4*>(state)[i];
        else s[e] = make_float4(state[i], state[i + COUNT], state[i + 2 * COUNT], state[i + 3 * COUNT]);
    }
#pragma unroll
    for (int e = 0; e < EACH; ++e) {
        const int i = (blockIdx.x * EACH + e) * 256 + threadIdx.x;
        const float g = s[e].w, n = fminf(s[e].y + g * g, 1.0e6f), r = root(n);
        const float z = s[e].x + g - (r - root(s[e].y)) * 20.0f * s[e].z;
        const float under = (1.0f + r) * 20.0f + 0.1f, over = copysignf(0.5f, z) - z;
        const float w = FAST ? __fdividef(over, under) : over / under;
        const float4 t = make_float4(z, n, fabsf(z) <= 0.5f ? 0.0f : w, g);
        if (TOGETHER) {
            reinterpret_cast<float4*>(state)[i] = t;
        } else {
            state[i] = t.x;
            state[i + COUNT] = t.y;
            state[i + 2 * COUNT] = t.z;
        }
    }
}
