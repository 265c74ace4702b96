// Log likelihood of points under a mixture of Gaussians by a running maximum.
constexpr int D = 16;

extern "C" __global__ void __launch_bounds__(THREADS)
gmm_loglik_f32_diag(const float4* __restrict__ points, const float4* __restrict__ means, const float4* __restrict__ precisions,
                    const float* __restrict__ weights, float* __restrict__ out)
{
    __shared__ float4 ms[STAGED ? COMPS * 4 : 1], ps[STAGED ? COMPS * 4 : 1];
    if (STAGED) {
        for (int i = threadIdx.x; i < COMPS * 4; i += THREADS) {
            ms[STAGED ? i : 0] = means[i];
            ps[STAGED ? i : 0] = precisions[i];
        }
        __syncthreads();
    }
    const int first = blockIdx.x * THREADS * EACH + threadIdx.x;
    float4 x[EACH][D / 4];
    float top[EACH], sum[EACH];
#pragma unroll
    for (int e = 0; e < EACH; ++e) {
        top[e] = -1e30f, sum[e] = 0.0f;
#pragma unroll
        for (int d = 0; d < D / 4; ++d) x[e][d] = points[(first + e * THREADS) * (D / 4) + d];
    }
#pragma unroll 2
    for (int c = 0; c < COMPS; ++c) {
        float far[EACH] = {};
#pragma unroll
        for (int d = 0; d < D / 4; ++d) {
            const float4 m = STAGED ? ms[STAGED ? c * 4 + d : 0] : means[c * 4 + d], p = STAGED ? ps[STAGED ? c * 4 + d : 0] : precisions[c * 4 + d];
#pragma unroll
            for (int e = 0; e < EACH; ++e) {
                const float4 v = x[e][d];
                far[e] += p.x * (v.x - m.x) * (v.x - m.x) + p.y * (v.y - m.y) * (v.y - m.y) + p.z * (v.z - m.z) * (v.z - m.z) + p.w * (v.w - m.w) * (v.w - m.w);
            }
        }
        const float w = weights[c];
#pragma unroll
        for (int e = 0; e < EACH; ++e) {
            const float l = w - 0.5f * far[e], here = fmaxf(top[e], l);
            sum[e] = sum[e] * __expf(top[e] - here) + __expf(l - here);
            top[e] = here;
        }
    }
#pragma unroll
    for (int e = 0; e < EACH; ++e) out[first + e * THREADS] = top[e] + __logf(sum[e]);
}
