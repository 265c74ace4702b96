// AdamW in place: two moments and decoupled weight decay, VECTOR floats an access.
// FAST uses approximate division and square root.
struct alignas(4 * VECTOR) Pack { float v[VECTOR]; };

extern "C" __global__ void adamw_update(Pack* __restrict__ weight, const Pack* __restrict__ gradient,
                                        Pack* __restrict__ first, Pack* __restrict__ second, float rate, float decay,
                                        float correct1, float correct2) {
    int i = blockIdx.x * BLOCK_SIZE + threadIdx.x;
    Pack w = weight[i], g = gradient[i], m = first[i], s = second[i];
#pragma unroll
    for (int k = 0; k < VECTOR; ++k) {
        m.v[k] = 0.9f * m.v[k] + 0.1f * g.v[k];
        s.v[k] = 0.999f * s.v[k] + 0.001f * g.v[k] * g.v[k];
        float step = FAST ? __fdividef(m.v[k], correct1 * (__fsqrt_rn(__fdividef(s.v[k], correct2)) + 1e-8f))
                          : m.v[k] / correct1 / (sqrtf(s.v[k] / correct2) + 1e-8f);
        w.v[k] -= rate * (step + decay * w.v[k]);
    }
    weight[i] = w;
    first[i] = m;
    second[i] = s;
}
