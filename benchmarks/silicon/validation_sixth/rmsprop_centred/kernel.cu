struct alignas(VEC * 4) Pack { float v[VEC]; };

extern "C" __global__ void __launch_bounds__(THREADS)
rmsprop_centred(Pack* __restrict__ weight, const Pack* __restrict__ grad, Pack* __restrict__ square,
                Pack* __restrict__ mean, Pack* __restrict__ momentum, float rate)
{
    const int first = blockIdx.x * THREADS * EACH + threadIdx.x;
#pragma unroll
    for (int e = 0; e < EACH; ++e) {
        const int at = first + e * THREADS;
        Pack w = weight[at], g = grad[at], s = square[at], a = mean[at], m = momentum[at];
#pragma unroll
        for (int k = 0; k < VEC; ++k) {
            const float d = g.v[k] + 1e-4f * w.v[k];
            s.v[k] = 0.99f * s.v[k] + 0.01f * d * d;
            a.v[k] = 0.99f * a.v[k] + 0.01f * d;
            const float variance = fmaxf(s.v[k] - a.v[k] * a.v[k], 0.0f);
            m.v[k] = 0.9f * m.v[k] + d / (sqrtf(variance) + 1e-2f);
            w.v[k] -= rate * m.v[k];
        }
        weight[at] = w;
        square[at] = s;
        mean[at] = a;
        momentum[at] = m;
    }
}
