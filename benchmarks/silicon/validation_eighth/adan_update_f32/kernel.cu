// 4,194,304 weights; first moments of the gradient and of its change, second moment of both.
struct alignas(VEC * 4) Pack { float v[VEC]; };

extern "C" __global__ void __launch_bounds__(256)
adan_update_f32(Pack* __restrict__ p, const Pack* __restrict__ g, Pack* __restrict__ last, Pack* __restrict__ m,
                Pack* __restrict__ d, Pack* __restrict__ n, float rate)
{
    Pack a[EACH][6];
#pragma unroll
    for (int e = 0; e < EACH; ++e) {
        const int i = (blockIdx.x * EACH + e) * 256 + threadIdx.x;
        a[e][0] = p[i];
        a[e][1] = g[i];
        a[e][2] = last[i];
        a[e][3] = m[i];
        a[e][4] = d[i];
        a[e][5] = n[i];
    }
#pragma unroll
    for (int e = 0; e < EACH; ++e) {
        const int i = (blockIdx.x * EACH + e) * 256 + threadIdx.x;
#pragma unroll
        for (int j = 0; j < VEC; ++j) {
            const float grad = a[e][1].v[j], change = grad - a[e][2].v[j], both = grad + 0.92f * change;
            const float mm = 0.98f * a[e][3].v[j] + 0.02f * grad, dd = 0.92f * a[e][4].v[j] + 0.08f * change;
            const float nn = 0.99f * a[e][5].v[j] + 0.01f * both * both, up = mm + 0.92f * dd;
            const float step = FAST ? __fdividef(up, __fsqrt_rn(nn) + 1.0e-8f) : up / (sqrtf(nn) + 1.0e-8f);
            a[e][3].v[j] = mm;
            a[e][4].v[j] = dd;
            a[e][5].v[j] = nn;
            a[e][0].v[j] = (a[e][0].v[j] - rate * step) * (FAST ? 0.9999800f : 1.0f / (1.0f + 0.02f * rate));
        }
        p[i] = a[e][0];
        last[i] = a[e][1];
        m[i] = a[e][3];
        d[i] = a[e][4];
        n[i] = a[e][5];
    }
}
