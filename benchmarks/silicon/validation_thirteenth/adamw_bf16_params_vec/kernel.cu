// AdamW with bf16 weights and FP32 moments.
#include <cuda_bf16.h>
struct alignas(VEC * 2) Half { __nv_bfloat162 h[VEC / 2]; };
struct alignas(VEC * 4) Full { float f[VEC]; };

extern "C" __global__ void __launch_bounds__(THREADS)
adamw_bf16_params_vec(Half* __restrict__ p, const Half* __restrict__ g, Full* __restrict__ m, Full* __restrict__ v)
{
    const int first = blockIdx.x * THREADS * EACH + threadIdx.x;
    Half w[EACH], d[EACH];
    Full a[EACH], b[EACH];
#pragma unroll
    for (int i = 0; i < EACH; ++i) {
        w[i] = p[first + i * THREADS];
        d[i] = g[first + i * THREADS];
        a[i] = m[first + i * THREADS];
        b[i] = v[first + i * THREADS];
    }
#pragma unroll
    for (int i = 0; i < EACH; ++i) {
#pragma unroll
        for (int j = 0; j < VEC / 2; ++j) {
            const float2 q = __bfloat1622float2(d[i].h[j]), x = __bfloat1622float2(w[i].h[j]);
            float o[2] = {x.x, x.y};
            const float grad[2] = {q.x, q.y};
#pragma unroll
            for (int e = 0; e < 2; ++e) {
                float &mm = a[i].f[2 * j + e], &vv = b[i].f[2 * j + e];
                mm = 0.9f * mm + 0.1f * grad[e];
                vv = 0.95f * vv + 0.05f * grad[e] * grad[e];
                const float step = FAST ? __fdividef(mm, vv * rsqrtf(vv + 1e-20f) + 1e-8f) : mm / (sqrtf(vv) + 1e-8f);
                o[e] = o[e] * 0.9999f - 1e-3f * step;
            }
            w[i].h[j] = __floats2bfloat162_rn(o[0], o[1]);
        }
        p[first + i * THREADS] = w[i];
        m[first + i * THREADS] = a[i];
        v[first + i * THREADS] = b[i];
    }
}
