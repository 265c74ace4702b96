// Rotation of pairs by their position; a thread keeps its sines for HEADS heads.
#include <cuda_bf16.h>
constexpr int D = 128, ALL = 32, PACKS = D / VEC, GROUPS = ALL / HEADS;
struct alignas(VEC * 2) Pack { __nv_bfloat162 h[VEC / 2]; };

extern "C" __global__ void __launch_bounds__(THREADS)
rope_bf16_interleaved(const Pack* __restrict__ x, const float2* __restrict__ turns, Pack* __restrict__ y)
{
    const int id = blockIdx.x * THREADS + threadIdx.x, at = id % PACKS, group = id / PACKS % GROUPS, token = id / (PACKS * GROUPS);
    float2 turn[VEC / 2];
#pragma unroll
    for (int j = 0; j < VEC / 2; ++j) {
        const int pair = at * (VEC / 2) + j;
        if (TABLE) turn[j] = turns[token * (D / 2) + pair];
        else {
            float s, c;
            __sincosf(token * exp2f(-0.2076f * pair), &s, &c);
            turn[j] = make_float2(c, s);
        }
    }
    const int first = (token * ALL + group * HEADS) * PACKS + at;
    Pack p[HEADS];
#pragma unroll
    for (int h = 0; h < HEADS; ++h) p[h] = x[first + h * PACKS];
#pragma unroll
    for (int h = 0; h < HEADS; ++h) {
#pragma unroll
        for (int j = 0; j < VEC / 2; ++j) {
            const float2 f = __bfloat1622float2(p[h].h[j]);
            p[h].h[j] = __floats2bfloat162_rn(f.x * turn[j].x - f.y * turn[j].y, f.x * turn[j].y + f.y * turn[j].x);
        }
        y[first + h * PACKS] = p[h];
    }
}
