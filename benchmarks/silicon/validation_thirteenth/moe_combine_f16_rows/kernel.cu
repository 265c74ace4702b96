// Results of experts put together again; a block has a token.
#include <cuda_fp16.h>
constexpr int PACKS = 1024 / VEC, E = EXPERTS;
struct alignas(VEC * 2) Pack { __half2 h[VEC / 2]; };

extern "C" __global__ void __launch_bounds__(THREADS)
moe_combine_f16_rows(const Pack* __restrict__ rows, const int* __restrict__ place, const float* __restrict__ weight, Pack* __restrict__ out)
{
    const Pack* from[E];
    float w[E];
#pragma unroll
    for (int e = 0; e < E; ++e) {
        from[e] = rows + (size_t)place[blockIdx.x * E + e] * PACKS;
        w[e] = weight[blockIdx.x * E + e];
    }
#pragma unroll 1
    for (int i = threadIdx.x; i < PACKS; i += THREADS) {
        float2 sum[VEC / 2];
#pragma unroll
        for (int j = 0; j < VEC / 2; ++j) sum[j] = make_float2(0.0f, 0.0f);
        if (AHEAD) {
            Pack p[E];
#pragma unroll
            for (int e = 0; e < E; ++e) p[e] = from[e][i];
#pragma unroll
            for (int e = 0; e < E; ++e)
#pragma unroll
                for (int j = 0; j < VEC / 2; ++j) {
                    const float2 f = __half22float2(p[e].h[j]);
                    sum[j].x += w[e] * f.x;
                    sum[j].y += w[e] * f.y;
                }
        } else {
#pragma unroll 1
            for (int e = 0; e < E; ++e) {
                const Pack p = rows[(size_t)place[blockIdx.x * E + e] * PACKS + i];
                const float we = weight[blockIdx.x * E + e];
#pragma unroll
                for (int j = 0; j < VEC / 2; ++j) {
                    const float2 f = __half22float2(p.h[j]);
                    sum[j].x += we * f.x;
                    sum[j].y += we * f.y;
                }
            }
        }
        Pack o;
#pragma unroll
        for (int j = 0; j < VEC / 2; ++j) o.h[j] = __floats2half2_rn(sum[j].x, sum[j].y);
        out[(size_t)blockIdx.x * PACKS + i] = o;
    }
}
