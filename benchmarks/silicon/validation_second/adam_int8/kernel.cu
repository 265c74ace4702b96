// Adam whose states are bytes: CHUNK numbers share the largest absolute value as their scale, so that every step needs
// a maximum over the block before it can write. FAST uses approximate division and root.
struct alignas(4 * ITEMS) Floats { float v[ITEMS]; };
struct alignas(ITEMS) Bytes { unsigned char v[ITEMS]; };

extern "C" __global__ void adam_int8(Floats* __restrict__ p, const Floats* __restrict__ g, Bytes* __restrict__ m8,
                                     Bytes* __restrict__ v8, float* __restrict__ m_scale, float* __restrict__ v_scale)
{
    constexpr int NT = CHUNK / ITEMS;
    __shared__ float most[2][NT / 32];
    const int i = blockIdx.x * NT + threadIdx.x;
    const float ms = m_scale[blockIdx.x] / 127.0f, vs = v_scale[blockIdx.x] / 255.0f;
    Floats w = p[i];
    const Floats grad = g[i];
    Bytes mb = m8[i], vb = v8[i];
    float m[ITEMS], v[ITEMS], m_top = 0.0f, v_top = 0.0f;
#pragma unroll
    for (int k = 0; k < ITEMS; ++k) {
        m[k] = 0.9f * (float)(signed char)mb.v[k] * ms + 0.1f * grad.v[k];
        v[k] = 0.99f * (float)vb.v[k] * vs + 0.01f * grad.v[k] * grad.v[k];
        if (FAST) w.v[k] -= 1e-4f * __fdividef(m[k], __fsqrt_rn(v[k]) + 1e-6f);
        else w.v[k] -= 1e-4f * m[k] / (sqrtf(v[k]) + 1e-6f);
        m_top = fmaxf(m_top, fabsf(m[k]));
        v_top = fmaxf(v_top, v[k]);
    }
    p[i] = w;
    for (int o = 16; o; o >>= 1) {
        m_top = fmaxf(m_top, __shfl_xor_sync(~0u, m_top, o));
        v_top = fmaxf(v_top, __shfl_xor_sync(~0u, v_top, o));
    }
    if (threadIdx.x % 32 == 0) {
        most[0][threadIdx.x / 32] = m_top;
        most[1][threadIdx.x / 32] = v_top;
    }
    __syncthreads();
    for (int j = 0; j < NT / 32; ++j) {
        m_top = fmaxf(m_top, most[0][j]);
        v_top = fmaxf(v_top, most[1][j]);
    }
    const float mi = 127.0f / fmaxf(m_top, 1e-20f), vi = 255.0f / fmaxf(v_top, 1e-20f);
#pragma unroll
    for (int k = 0; k < ITEMS; ++k) {
        mb.v[k] = (unsigned char)(signed char)__float2int_rn(m[k] * mi);
        vb.v[k] = (unsigned char)__float2int_rn(v[k] * vi);
    }
    m8[i] = mb;
    v8[i] = vb;
    if (threadIdx.x == 0) {
        m_scale[blockIdx.x] = m_top;
        v_scale[blockIdx.x] = v_top;
    }
}
