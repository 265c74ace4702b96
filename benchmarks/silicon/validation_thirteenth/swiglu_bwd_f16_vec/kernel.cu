// Gradient of silu(gate) * up.
#include <cuda_fp16.h>
struct alignas(VEC * 2) Pack { __half2 h[VEC / 2]; };

__device__ __forceinline__ float sigmoid(float v)
{
    return FAST ? __fdividef(1.0f, 1.0f + __expf(-v)) : 1.0f / (1.0f + expf(-v));
}

extern "C" __global__ void __launch_bounds__(THREADS)
swiglu_bwd_f16_vec(const Pack* __restrict__ gate, const Pack* __restrict__ up, const Pack* __restrict__ dy, Pack* __restrict__ dgate, Pack* __restrict__ dup)
{
    const int first = blockIdx.x * THREADS * EACH + threadIdx.x;
    Pack g[EACH], u[EACH], d[EACH];
#pragma unroll
    for (int i = 0; i < EACH; ++i) {
        g[i] = gate[first + i * THREADS];
        u[i] = up[first + i * THREADS];
        d[i] = dy[first + i * THREADS];
    }
#pragma unroll
    for (int i = 0; i < EACH; ++i) {
#pragma unroll
        for (int j = 0; j < VEC / 2; ++j) {
            const float2 a = __half22float2(g[i].h[j]), b = __half22float2(u[i].h[j]), c = __half22float2(d[i].h[j]);
            const float sx = sigmoid(a.x), sy = sigmoid(a.y);
            u[i].h[j] = __floats2half2_rn(c.x * a.x * sx, c.y * a.y * sy);
            g[i].h[j] = __floats2half2_rn(c.x * b.x * sx * (1.0f + a.x * (1.0f - sx)), c.y * b.y * sy * (1.0f + a.y * (1.0f - sy)));
        }
        dgate[first + i * THREADS] = g[i];
        dup[first + i * THREADS] = u[i];
    }
}
