// S(k) = sum of q exp(2 pi i k r); 4,096 particles in tiles of 128, cut into slices that are added by atomics.
constexpr int PART = 4096 / SLICES;

extern "C" __global__ void __launch_bounds__(128)
structure_factor(const float4* __restrict__ particles, const int* __restrict__ vectors, float* __restrict__ sums)
{
    __shared__ float4 tile[128];
    float kx[EACH], ky[EACH], kz[EACH], re[EACH] = {}, im[EACH] = {};
    const int first = blockIdx.x * 128 * EACH + threadIdx.x;
#pragma unroll
    for (int e = 0; e < EACH; ++e) {
        kx[e] = vectors[(first + e * 128) * 3];
        ky[e] = vectors[(first + e * 128) * 3 + 1];
        kz[e] = vectors[(first + e * 128) * 3 + 2];
    }
    for (int start = blockIdx.y * PART; start < (blockIdx.y + 1) * PART; start += 128) {
        __syncthreads();
        tile[threadIdx.x] = particles[start + threadIdx.x];
        __syncthreads();
#pragma unroll 4
        for (int i = 0; i < 128; ++i) {
            const float4 p = tile[i];
#pragma unroll
            for (int e = 0; e < EACH; ++e) {
                const float turns = kx[e] * p.x + ky[e] * p.y + kz[e] * p.z;
                float s, c;
#if FAST
                __sincosf(6.2831853f * (turns - rintf(turns)), &s, &c);
#else
                sincospif(2.0f * turns, &s, &c);
#endif
                re[e] += p.w * c;
                im[e] += p.w * s;
            }
        }
    }
#pragma unroll
    for (int e = 0; e < EACH; ++e) {
        atomicAdd(sums + (first + e * 128) * 2, re[e]);
        atomicAdd(sums + (first + e * 128) * 2 + 1, im[e]);
    }
}
