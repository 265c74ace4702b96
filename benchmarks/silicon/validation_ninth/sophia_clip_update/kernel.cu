// m = 0.96 m + 0.04 g; p = (1 - rate decay) p - rate clip(m / (rho h)); with SMALL gradients are bf16.
struct alignas(VEC * 4) Pack { float v[VEC]; };
struct alignas(VEC * 2) Half { unsigned short v[VEC]; };

extern "C" __global__ void __launch_bounds__(256)
sophia_clip_update(Pack* __restrict__ p, Pack* __restrict__ m, const Pack* __restrict__ h, const void* __restrict__ g)
{
#pragma unroll
    for (int e = 0; e < EACH; ++e) {
        const size_t i = (size_t)(blockIdx.x * EACH + e) * 256 + threadIdx.x;
        Pack a = p[i], b = m[i], q;
        const Pack c = h[i];
        if (SMALL) {
            const Half s = static_cast<const Half*>(g)[i];
#pragma unroll
            for (int j = 0; j < VEC; ++j) q.v[j] = __uint_as_float((unsigned)s.v[j] << 16);
        } else {
            q = static_cast<const Pack*>(g)[i];
        }
#pragma unroll
        for (int j = 0; j < VEC; ++j) {
            b.v[j] = 0.96f * b.v[j] + 0.04f * q.v[j];
            const float step = __fdividef(b.v[j], fmaxf(0.05f * c.v[j], 1.0e-12f));
            a.v[j] = a.v[j] * 0.99999f - 1.0e-4f * fminf(fmaxf(step, -1.0f), 1.0f);
        }
        p[i] = a;
        m[i] = b;
    }
}
