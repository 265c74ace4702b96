// Pointwise part of an LSTM cell; the gates are input, forget, candidate and output.
#include <cuda_fp16.h>
constexpr int UNITS = 1024;
struct alignas(VEC * 2) Half { __half h[VEC]; };
struct alignas(VEC * 8) Four { __half h[VEC * 4]; };
struct alignas(VEC * 4) Full { float f[VEC]; };

__device__ __forceinline__ float sigmoid(float v)
{
    return FAST ? __fdividef(1.0f, 1.0f + __expf(-v)) : 1.0f / (1.0f + expf(-v));
}

__device__ __forceinline__ float bent(float v)
{
    return FAST ? 2.0f * sigmoid(2.0f * v) - 1.0f : tanhf(v);
}

extern "C" __global__ void __launch_bounds__(THREADS)
lstm_cell_f16_gates(const __half* __restrict__ gates, const Full* __restrict__ cell, Full* __restrict__ next, Half* __restrict__ hidden)
{
    const int id = blockIdx.x * THREADS + threadIdx.x, unit = id * VEC % UNITS, state = id * VEC / UNITS;
    float g[4][VEC];
    if (TOGETHER) {
        const Four p = *reinterpret_cast<const Four*>(gates + (size_t)id * VEC * 4);
#pragma unroll
        for (int k = 0; k < 4; ++k)
#pragma unroll
            for (int j = 0; j < VEC; ++j) g[k][j] = __half2float(p.h[j * 4 + k]);
    } else {
#pragma unroll
        for (int k = 0; k < 4; ++k) {
            const Half p = *reinterpret_cast<const Half*>(gates + ((size_t)state * 4 + k) * UNITS + unit);
#pragma unroll
            for (int j = 0; j < VEC; ++j) g[k][j] = __half2float(p.h[j]);
        }
    }
    Full c = cell[id];
    Half o;
#pragma unroll
    for (int j = 0; j < VEC; ++j) {
        c.f[j] = sigmoid(g[1][j]) * c.f[j] + sigmoid(g[0][j]) * bent(g[2][j]);
        o.h[j] = __float2half_rn(sigmoid(g[3][j]) * bent(c.f[j]));
    }
    next[id] = c;
    hidden[id] = o;
}
