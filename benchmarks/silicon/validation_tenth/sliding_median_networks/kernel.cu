// The greatest and the least of half of the samples plus one are dropped, then one more sample comes in, and so on.
#include <cuda_fp16.h>
#if SMALL
typedef __half Sample;
#else
typedef float Sample;
#endif
constexpr int ALL = PER * 128 + WINDOW - 1, FIRST = WINDOW / 2 + 2;

__device__ __forceinline__ void in_order(float& a, float& b)
{
    const float t = fminf(a, b);
    b = fmaxf(a, b);
    a = t;
}

extern "C" __global__ void __launch_bounds__(128)
sliding_median_networks(const __half* __restrict__ x, __half* __restrict__ y)
{
    __shared__ Sample held[STAGED ? ALL : 1];
    const Sample* from = reinterpret_cast<const Sample*>(x) + (size_t)blockIdx.x * PER * 128;
    if (STAGED) {
        for (int i = threadIdx.x; i < ALL; i += 128) held[STAGED ? i : 0] = from[i];
        __syncthreads();
    }
    float f[PER + WINDOW - 1];
#pragma unroll
    for (int i = 0; i < PER + WINDOW - 1; ++i) f[i] = (float)(STAGED ? held[STAGED ? threadIdx.x * PER + i : 0] : from[threadIdx.x * PER + i]);
    struct alignas(sizeof(Sample) * PER) Pack { Sample v[PER]; } p;
#pragma unroll
    for (int w = 0; w < PER; ++w) {
        float g[FIRST];
#pragma unroll
        for (int i = 0; i < FIRST; ++i) g[i] = f[w + i];
#pragma unroll
        for (int n = FIRST; n > 2; --n) {
#pragma unroll
            for (int i = 1; i < n; ++i) in_order(g[0], g[i]);
#pragma unroll
            for (int i = 1; i < n - 1; ++i) in_order(g[i], g[n - 1]);
            if (n > 3) g[0] = f[w + 2 * FIRST - n];
        }
        p.v[w] = Sample(g[1]);
    }
    reinterpret_cast<Pack*>(y)[blockIdx.x * 128 + threadIdx.x] = p;
}
