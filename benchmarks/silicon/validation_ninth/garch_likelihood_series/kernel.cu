// h = omega + alpha r r + beta h; the sum of log h + r r / h.
extern "C" __global__ void __launch_bounds__(128)
garch_likelihood_series(const float* __restrict__ r, const float* __restrict__ guess, float* __restrict__ out)
{
    float h[EACH], sum[EACH];
    int s[EACH];
#pragma unroll
    for (int e = 0; e < EACH; ++e) {
        s[e] = (blockIdx.x * EACH + e) * 128 + threadIdx.x;
        h[e] = 0.1f + guess[s[e]];
        sum[e] = 0.0f;
    }
#pragma unroll 1
    for (int t = 0; t < 256; t += CHUNK) {
        float v[EACH][CHUNK];
#pragma unroll
        for (int e = 0; e < EACH; ++e)
#pragma unroll
            for (int i = 0; i < CHUNK; i += 4)
                if (BY_TIME) {
#pragma unroll
                    for (int j = 0; j < 4; ++j) v[e][i + j] = r[(t + i + j) * 65536 + s[e]];
                } else {
                    const float4 p = *reinterpret_cast<const float4*>(r + s[e] * 256 + t + i);
                    v[e][i] = p.x, v[e][i + 1] = p.y, v[e][i + 2] = p.z, v[e][i + 3] = p.w;
                }
#pragma unroll
        for (int i = 0; i < CHUNK; ++i)
#pragma unroll
            for (int e = 0; e < EACH; ++e) {
                const float q = v[e][i] * v[e][i];
                sum[e] += FAST ? __logf(h[e]) + __fdividef(q, h[e]) : logf(h[e]) + q / h[e];
                h[e] = 0.05f + 0.1f * q + 0.85f * h[e];
            }
    }
#pragma unroll
    for (int e = 0; e < EACH; ++e) out[s[e]] = -0.5f * sum[e];
}
