// [head][token][dim]; softmax on the fly with a running maximum.
constexpr int TOKENS = 77, QUERIES = 2048, PARTS = DIM / 4;

__device__ float dot(float4 a, float4 b) { return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w; }

extern "C" __global__ void __launch_bounds__(THREADS)
cross_attention_77(const float4* __restrict__ q, const float4* __restrict__ k, const float4* __restrict__ v,
                   float4* __restrict__ out, float scale)
{
    const float4 *keys = k + blockIdx.y * TOKENS * PARTS, *values = v + blockIdx.y * TOKENS * PARTS;
#if IN_SHARED
    __shared__ float4 ks[TOKENS * PARTS], vs[TOKENS * PARTS];
    for (int i = threadIdx.x; i < TOKENS * PARTS; i += THREADS) {
        ks[i] = keys[i];
        vs[i] = values[i];
    }
    __syncthreads();
    keys = ks;
    values = vs;
#endif
    const int first = blockIdx.y * QUERIES + blockIdx.x * THREADS * EACH + threadIdx.x;
    float4 mine[EACH][PARTS], acc[EACH][PARTS];
    float top[EACH], sum[EACH];
#pragma unroll
    for (int e = 0; e < EACH; ++e) {
        top[e] = -1e30f;
        sum[e] = 0.0f;
#pragma unroll
        for (int p = 0; p < PARTS; ++p) {
            mine[e][p] = q[(first + e * THREADS) * PARTS + p];
            acc[e][p] = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
        }
    }
    for (int t = 0; t < TOKENS; ++t) {
        float s[EACH] = {};
#pragma unroll
        for (int p = 0; p < PARTS; ++p) {
            const float4 key = keys[t * PARTS + p];
#pragma unroll
            for (int e = 0; e < EACH; ++e) s[e] += dot(mine[e][p], key);
        }
        float w[EACH], old[EACH];
#pragma unroll
        for (int e = 0; e < EACH; ++e) {
            const float now = fmaxf(top[e], s[e] * scale);
            old[e] = __expf(top[e] - now);
            w[e] = __expf(s[e] * scale - now);
            sum[e] = sum[e] * old[e] + w[e];
            top[e] = now;
        }
#pragma unroll
        for (int p = 0; p < PARTS; ++p) {
            const float4 value = values[t * PARTS + p];
#pragma unroll
            for (int e = 0; e < EACH; ++e) {
                acc[e][p].x = acc[e][p].x * old[e] + w[e] * value.x;
                acc[e][p].y = acc[e][p].y * old[e] + w[e] * value.y;
                acc[e][p].z = acc[e][p].z * old[e] + w[e] * value.z;
                acc[e][p].w = acc[e][p].w * old[e] + w[e] * value.w;
            }
        }
    }
#pragma unroll
    for (int e = 0; e < EACH; ++e) {
        const float inverse = 1.0f / sum[e];
#pragma unroll
        for (int p = 0; p < PARTS; ++p)
            out[(first + e * THREADS) * PARTS + p] = make_float4(acc[e][p].x * inverse, acc[e][p].y * inverse,
                                                                 acc[e][p].z * inverse, acc[e][p].w * inverse);
    }
}
