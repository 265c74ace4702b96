// Arithmetic Asian options: EACH paths of 64 steps a thread by xoshiro128+ and Box-Muller, mirrored paths or not.
constexpr int STEPS = 64;

__device__ unsigned next(unsigned (&s)[4])
{
    const unsigned out = s[0] + s[3], t = s[1] << 9;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = __funnelshift_l(s[3], s[3], 11);
    return out;
}

extern "C" __global__ void __launch_bounds__(128)
asian_paths_xoshiro(const uint4* __restrict__ seeds, float* __restrict__ sums, float drift, float vol, float strike)
{
    __shared__ float partial[4];
    const int i = blockIdx.x * 128 + threadIdx.x;
    float pay = 0.0f;
    unsigned s[EACH][4];
    float up[EACH], mean[EACH], down[EACH], low[EACH];
#pragma unroll
    for (int e = 0; e < EACH; ++e) {
        const uint4 q = seeds[i + e * gridDim.x * 128];
        s[e][0] = q.x;
        s[e][1] = q.y;
        s[e][2] = q.z;
        s[e][3] = q.w | 1;
        up[e] = down[e] = 0.0f;
        mean[e] = low[e] = 0.0f;
    }
#pragma unroll 1
    for (int t = 0; t < STEPS; t += 2)
#pragma unroll
        for (int e = 0; e < EACH; ++e) {
            const float u = ((next(s[e]) >> 8) + 0.5f) * 5.9604645e-8f, a = (next(s[e]) >> 8) * 3.7450702e-7f;
#if FAST
            const float r = sqrtf(-2.0f * __logf(u)), z0 = r * __cosf(a), z1 = r * __sinf(a);
#else
            float z0, z1;
            sincosf(a, &z1, &z0);
            const float r = sqrtf(-2.0f * logf(u));
            z0 *= r;
            z1 *= r;
#endif
            up[e] += drift + vol * z0;
            mean[e] += __expf(up[e]);
            up[e] += drift + vol * z1;
            mean[e] += __expf(up[e]);
#if MIRRORED
            down[e] += drift - vol * z0;
            low[e] += __expf(down[e]);
            down[e] += drift - vol * z1;
            low[e] += __expf(down[e]);
#endif
        }
#pragma unroll
    for (int e = 0; e < EACH; ++e) {
        pay += fmaxf(mean[e] / STEPS - strike, 0.0f);
#if MIRRORED
        pay += fmaxf(low[e] / STEPS - strike, 0.0f);
#endif
    }
#pragma unroll
    for (int d = 16; d; d >>= 1) pay += __shfl_xor_sync(~0u, pay, d);
    if (threadIdx.x % 32 == 0) partial[threadIdx.x / 32] = pay;
    __syncthreads();
    if (threadIdx.x == 0) sums[blockIdx.x] = partial[0] + partial[1] + partial[2] + partial[3];
}
