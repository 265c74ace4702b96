// The recurrence of an RWKV layer: a channel a thread walks over the tokens with a numerator, a denominator and the
// running maximum of the exponents.
extern "C" __global__ void wkv_recurrence(const float* __restrict__ decay, const float* __restrict__ bonus,
                                          const float* __restrict__ key, const float* __restrict__ value,
                                          float* __restrict__ out, int channels)
{
    const int at = blockIdx.x * THREADS + threadIdx.x, batch = at / channels, c = at % channels;
    const float w = -decay[c], u = bonus[c];
    const size_t base = (size_t)batch * TOKENS * channels + c;
    float above = 0.0f, below = 0.0f, top = -1e38f;
    constexpr int U = UNROLL;
#pragma unroll U
    for (int t = 0; t < TOKENS; ++t) {
        const size_t i = base + (size_t)t * channels;
        const float k = key[i], v = value[i];
        const float m = fmaxf(top, u + k), e1 = __expf(top - m), e2 = __expf(u + k - m);
        out[i] = (e1 * above + e2 * v) / (e1 * below + e2);
        const float m2 = fmaxf(top + w, k), d1 = __expf(top + w - m2), d2 = __expf(k - m2);
        above = d1 * above + d2 * v;
        below = d1 * below + d2;
        top = m2;
    }
}
