// 16,384 rows of 1,024 FP16 numbers moved by a permutation of rows, times a weight a row.
#include <cuda_fp16.h>
struct alignas(VEC * 2) Pack { __half2 v[VEC / 2]; };
constexpr int PACKS = 1024 / VEC;

extern "C" __global__ void __launch_bounds__(128)
moe_permute_rows(const Pack* __restrict__ x, const int* __restrict__ order, const float* __restrict__ weights, Pack* __restrict__ y)
{
    Pack p[EACH];
    int to[EACH];
#pragma unroll
    for (int e = 0; e < EACH; ++e) {
        const int i = (blockIdx.x * EACH + e) * 128 + threadIdx.x, row = i / PACKS, part = i % PACKS;
        const int other = order[row];
        p[e] = x[(SCATTER ? row : other) * PACKS + part];
        to[e] = (SCATTER ? other : row) * PACKS + part;
        const __half2 w = __float2half2_rn(weights[row]);
#pragma unroll
        for (int j = 0; j < VEC / 2; ++j) p[e].v[j] = __hmul2(p[e].v[j], w);
    }
#pragma unroll
    for (int e = 0; e < EACH; ++e) y[to[e]] = p[e];
}
