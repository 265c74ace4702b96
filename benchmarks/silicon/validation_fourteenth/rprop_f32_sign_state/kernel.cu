// Step sizes grow while signs agree and shrink when they change; no step after a change.
struct alignas(VEC * 4) Pack { float f[VEC]; };
#if BYTES
struct alignas(VEC) Before { signed char f[VEC]; };
#else
typedef Pack Before;
#endif

__device__ __forceinline__ float sign(float f) { return f > 0.0f ? 1.0f : f < 0.0f ? -1.0f : 0.0f; }

extern "C" __global__ void __launch_bounds__(THREADS)
rprop_f32_sign_state(Pack* __restrict__ w, const Pack* __restrict__ g, Pack* __restrict__ delta, Before* __restrict__ before)
{
    const int first = blockIdx.x * THREADS * EACH + threadIdx.x;
#pragma unroll
    for (int e = 0; e < EACH; ++e) {
        const int i = first + e * THREADS;
        Pack pw = w[i], pd = delta[i];
        const Pack pg = g[i];
        Before pb = before[i];
#pragma unroll
        for (int j = 0; j < VEC; ++j) {
            const float grad = pg.f[j] - 0.5f, same = grad * (float)pb.f[j];
            const float scale = same > 0.0f ? 1.2f : same < 0.0f ? 0.5f : 1.0f;
            pd.f[j] = fminf(fmaxf(pd.f[j] * scale, 1e-6f), 50.0f);
            const float used = same < 0.0f ? 0.0f : grad;
            pw.f[j] -= sign(used) * pd.f[j];
            pb.f[j] = BYTES ? sign(used) : used;
        }
        w[i] = pw;
        delta[i] = pd;
        before[i] = pb;
    }
}
