// Mean of each segment of rows; a thread has VEC columns of a segment and AHEAD rows at once.
#include <cuda_fp16.h>
constexpr int PACKS = WIDTH / VEC;
struct alignas(VEC * 2) Pack { __half2 h[VEC / 2]; };

extern "C" __global__ void __launch_bounds__(THREADS)
segment_mean_f16_runs(const Pack* __restrict__ x, const int* __restrict__ offsets, Pack* __restrict__ mean)
{
    const int id = blockIdx.x * THREADS + threadIdx.x, segment = id / PACKS, at = id % PACKS;
    const int first = offsets[segment], end = offsets[segment + 1];
    float2 sum[VEC / 2];
#pragma unroll
    for (int j = 0; j < VEC / 2; ++j) sum[j] = make_float2(0.0f, 0.0f);
    int r = first;
    for (; r + AHEAD <= end; r += AHEAD) {
        Pack p[AHEAD];
#pragma unroll
        for (int u = 0; u < AHEAD; ++u) p[u] = x[(size_t)(r + u) * PACKS + at];
#pragma unroll
        for (int u = 0; u < AHEAD; ++u)
#pragma unroll
            for (int j = 0; j < VEC / 2; ++j) {
                const float2 f = __half22float2(p[u].h[j]);
                sum[j].x += f.x;
                sum[j].y += f.y;
            }
    }
    for (; r < end; ++r) {
        const Pack p = x[(size_t)r * PACKS + at];
#pragma unroll
        for (int j = 0; j < VEC / 2; ++j) {
            const float2 f = __half22float2(p.h[j]);
            sum[j].x += f.x;
            sum[j].y += f.y;
        }
    }
    const float by = 1.0f / max(end - first, 1);
    Pack o;
#pragma unroll
    for (int j = 0; j < VEC / 2; ++j) o.h[j] = __floats2half2_rn(sum[j].x * by, sum[j].y * by);
    mean[(size_t)segment * PACKS + at] = o;
}
