// SGD with momentum in mixed precision: FP32 weights and velocities, gradients and a copy in FP16.
// VECTOR elements a thread; the widest accesses are of 128 bits, two for eight floats.
#include <cuda_fp16.h>
struct alignas(VECTOR == 8 ? 16 : 4 * VECTOR) Floats { float v[VECTOR]; };
struct alignas(2 * VECTOR) Halves { half v[VECTOR]; };

extern "C" __global__ void sgd_momentum(Floats* __restrict__ weight, const Halves* __restrict__ gradient,
                                        Floats* __restrict__ velocity, Halves* __restrict__ copy, float rate) {
    int i = blockIdx.x * BLOCK_SIZE + threadIdx.x;
    Floats w = weight[i], u = velocity[i];
    Halves g = gradient[i], c;
#pragma unroll
    for (int k = 0; k < VECTOR; ++k) {
        float x = __half2float(g.v[k]);
        u.v[k] = 0.9f * u.v[k] + x;
        w.v[k] -= rate * (NESTEROV ? x + 0.9f * u.v[k] : u.v[k]);
        c.v[k] = __float2half(w.v[k]);
    }
    weight[i] = w;
    velocity[i] = u;
    copy[i] = c;
}
