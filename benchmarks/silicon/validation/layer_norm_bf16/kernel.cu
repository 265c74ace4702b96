// Layer norm of bf16 rows with 128-bit accesses, one block a row.
// The variance comes from the squares of one pass, or from a second pass over the row.
#include <cuda_bf16.h>
__device__ float total(float v, float* scratch) {
    for (int o = 16; o; o >>= 1) v += __shfl_xor_sync(~0u, v, o);
    if (threadIdx.x % 32 == 0) scratch[threadIdx.x / 32] = v;
    __syncthreads();
    v = threadIdx.x % 32 < BLOCK_SIZE / 32 ? scratch[threadIdx.x % 32] : 0.0f;
    for (int o = 16; o; o >>= 1) v += __shfl_xor_sync(~0u, v, o);
    __syncthreads();
    return v;
}
__device__ void unpack(uint4 raw, float* f) {
    const __nv_bfloat162* p = (const __nv_bfloat162*)&raw;
#pragma unroll
    for (int i = 0; i < 4; ++i) {
        float2 t = __bfloat1622float2(p[i]);
        f[2 * i] = t.x;
        f[2 * i + 1] = t.y;
    }
}

extern "C" __global__ void layer_norm_bf16(const uint4* __restrict__ input, const uint4* __restrict__ gamma,
                                           const uint4* __restrict__ beta, uint4* __restrict__ output) {
    constexpr int vectors = COLUMNS / 8;
    __shared__ float scratch[32];
    const uint4* row = input + (size_t)blockIdx.x * vectors;
    float sum = 0.0f, squares = 0.0f, f[8], g[8], b[8];
    for (int i = threadIdx.x; i < vectors; i += BLOCK_SIZE) {
        unpack(row[i], f);
#pragma unroll
        for (int k = 0; k < 8; ++k) {
            sum += f[k];
            if (ONE_PASS) squares = fmaf(f[k], f[k], squares);
        }
    }
    float mean = total(sum, scratch) / COLUMNS;
    if (!ONE_PASS)
        for (int i = threadIdx.x; i < vectors; i += BLOCK_SIZE) {
            unpack(row[i], f);
#pragma unroll
            for (int k = 0; k < 8; ++k) squares = fmaf(f[k] - mean, f[k] - mean, squares);
        }
    float variance = total(squares, scratch) / COLUMNS - (ONE_PASS ? mean * mean : 0.0f);
    float scale = rsqrtf(fmaxf(variance, 0.0f) + 1e-5f);
    for (int i = threadIdx.x; i < vectors; i += BLOCK_SIZE) {
        unpack(row[i], f);
        unpack(gamma[i], g);
        unpack(beta[i], b);
        uint4 raw;
        __nv_bfloat162* p = (__nv_bfloat162*)&raw;
#pragma unroll
        for (int k = 0; k < 4; ++k)
            p[k] = __floats2bfloat162_rn((f[2 * k] - mean) * scale * g[2 * k] + b[2 * k],
                                         (f[2 * k + 1] - mean) * scale * g[2 * k + 1] + b[2 * k + 1]);
        output[(size_t)blockIdx.x * vectors + i] = raw;
    }
}
