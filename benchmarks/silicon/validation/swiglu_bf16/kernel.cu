// SwiGLU in bf16: silu of a row's first half times its second half, rows of 2 x 4,096.
// VECTOR elements an access, ITEMS accesses a thread.
#include <cuda_bf16.h>
struct alignas(2 * VECTOR) Pack { __nv_bfloat16 v[VECTOR]; };

extern "C" __global__ void swiglu_bf16(const Pack* __restrict__ input, Pack* __restrict__ output) {
    constexpr int vectors = 4096 / VECTOR;
#pragma unroll
    for (int n = 0; n < ITEMS; ++n) {
        int i = (blockIdx.x * ITEMS + n) * BLOCK_SIZE + threadIdx.x, row = i / vectors, at = i % vectors;
        Pack gate = input[row * 2 * vectors + at], up = input[row * 2 * vectors + vectors + at];
#pragma unroll
        for (int k = 0; k < VECTOR; ++k) {
            float g = __bfloat162float(gate.v[k]) * 256.0f;
            gate.v[k] = __float2bfloat16(g / (1.0f + __expf(-g)) * __bfloat162float(up.v[k]));
        }
        output[i] = gate;
    }
}
