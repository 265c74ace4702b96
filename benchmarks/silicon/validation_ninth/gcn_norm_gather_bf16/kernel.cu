// Graph of 32,768 nodes; DIM / VEC lanes have a node; weights are 1 / sqrt(degree x degree of the neighbour).
#include <cuda_bf16.h>
constexpr int WIDE = DIM / VEC;
struct alignas(VEC * 2) Pack { __nv_bfloat162 v[VEC / 2]; };

extern "C" __global__ void __launch_bounds__(128)
gcn_norm_gather_bf16(const int* __restrict__ start, const int* __restrict__ index, const float* __restrict__ weight,
                     const Pack* __restrict__ x, Pack* __restrict__ y)
{
    const int id = blockIdx.x * 128 + threadIdx.x, node = id / WIDE, c = id % WIDE;
    const int begin = start[node], end = start[node + 1];
    const float own = rsqrtf(end - begin + 1.0f);
    float acc[VEC] = {};
    auto take = [&](int count, int i) {
        Pack p[UNROLL];
        float w[UNROLL];
#pragma unroll
        for (int u = 0; u < UNROLL; ++u)
            if (u < count) {
                const int k = index[i + u];
                w[u] = KNOWN ? weight[i + u] : own * rsqrtf(start[k + 1] - start[k] + 1.0f);
                p[u] = x[(size_t)k * WIDE + c];
            }
#pragma unroll
        for (int u = 0; u < UNROLL; ++u)
            if (u < count)
#pragma unroll
                for (int j = 0; j < VEC / 2; ++j) {
                    const float2 t = __bfloat1622float2(p[u].v[j]);
                    acc[2 * j] += w[u] * t.x;
                    acc[2 * j + 1] += w[u] * t.y;
                }
    };
    int i = begin;
#pragma unroll 1
    for (; i + UNROLL <= end; i += UNROLL) take(UNROLL, i);
    if (UNROLL > 1)
#pragma unroll 1
        for (; i < end; ++i) take(1, i);
    Pack r;
#pragma unroll
    for (int j = 0; j < VEC / 2; ++j) r.v[j] = __floats2bfloat162_rn(acc[2 * j], acc[2 * j + 1]);
    y[id] = r;
}
