// Scatter of gradients: red.add.bf16x2 for each pair.
#include <cuda_bf16.h>
constexpr int ROW = DIM / 2 / PAIRS;
struct alignas(PAIRS * 4) Half { __nv_bfloat162 h[PAIRS]; };
struct alignas(PAIRS > 1 ? 16 : 8) Wide { float2 f[PAIRS]; };

extern "C" __global__ void __launch_bounds__(THREADS)
embed_grad_bf16_pair_atomics(const void* __restrict__ dout, const int* __restrict__ tokens, __nv_bfloat162* __restrict__ table)
{
    const int id = blockIdx.x * THREADS + threadIdx.x, token = id / ROW, c = id % ROW, row = tokens[token];
    __nv_bfloat162 g[PAIRS];
    if (WIDE) {
        const Wide p = static_cast<const Wide*>(dout)[id];
#pragma unroll
        for (int j = 0; j < PAIRS; ++j) g[j] = __float22bfloat162_rn(p.f[j]);
    } else {
        const Half p = static_cast<const Half*>(dout)[id];
#pragma unroll
        for (int j = 0; j < PAIRS; ++j) g[j] = p.h[j];
    }
    __nv_bfloat162* to = table + ((size_t)row * ROW + c) * PAIRS;
#pragma unroll
    for (int j = 0; j < PAIRS; ++j) atomicAdd(to + j, g[j]);
}
