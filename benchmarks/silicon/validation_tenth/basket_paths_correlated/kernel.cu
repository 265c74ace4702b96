// Normal numbers by Box and Muller from a counter's hashes; a lower triangular factor mixes them.
__device__ __forceinline__ unsigned mixed(unsigned k)
{
    k ^= k >> 16;
    k *= 0x7feb352du;
    k ^= k >> 15;
    k *= 0x846ca68bu;
    return k ^ k >> 16;
}

extern "C" __global__ void
basket_paths_correlated(const float* __restrict__ factor, float* __restrict__ value)
{
    __shared__ float f[64];
    if (threadIdx.x < 64) f[threadIdx.x] = factor[threadIdx.x];
    __syncthreads();
    float level[EACH][8] = {};
#pragma unroll 1
    for (int s = 0; s < STEPS; ++s) {
        float n[EACH][8];
#pragma unroll
        for (int e = 0; e < EACH; ++e) {
            const unsigned path = (blockIdx.x * EACH + e) * 128 + threadIdx.x;
#pragma unroll
            for (int a = 0; a < 8; a += 2) {
                const unsigned h = mixed(path * 0x9e3779b9u + s * 8 + a), g = mixed(h + 0x632be5abu);
                const float u = (h >> 8) * 5.9604645e-8f + 2.9802322e-8f, v = (g >> 8) * 5.9604645e-8f;
                float sn, cs, r;
                if (FAST) {
                    r = __fsqrt_rn(-2.0f * __logf(u));
                    __sincosf(6.2831853f * v, &sn, &cs);
                } else {
                    r = sqrtf(-2.0f * logf(u));
                    sincospif(2.0f * v, &sn, &cs);
                }
                n[e][a] = r * cs;
                n[e][a + 1] = r * sn;
            }
        }
#pragma unroll
        for (int a = 0; a < 8; ++a)
#pragma unroll
            for (int b = 0; b <= a; ++b) {
                const float c = f[a * 8 + b];
#pragma unroll
                for (int e = 0; e < EACH; ++e) level[e][a] += c * n[e][b];
            }
#pragma unroll
        for (int e = 0; e < EACH; ++e)
#pragma unroll
            for (int a = 0; a < 8; ++a) level[e][a] -= 0.01f;
    }
#pragma unroll
    for (int e = 0; e < EACH; ++e) {
        float sum = 0.0f;
#pragma unroll
        for (int a = 0; a < 8; ++a) sum += FAST ? __expf(0.05f * level[e][a]) : expf(0.05f * level[e][a]);
        value[(blockIdx.x * EACH + e) * 128 + threadIdx.x] = fmaxf(sum * 0.125f - 1.0f, 0.0f);
    }
}
