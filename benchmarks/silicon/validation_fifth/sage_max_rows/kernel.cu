// Max aggregation over 4 to 32 neighbours, DIM / VEC lanes a vertex.
#include <cuda_fp16.h>

constexpr int LANES = DIM / VEC;

struct alignas(VEC * 2) Pack { __half2 v[VEC / 2]; };
struct alignas(VEC) Bytes { unsigned char v[VEC]; };

extern "C" __global__ void __launch_bounds__(128)
sage_max_rows(const int* __restrict__ neighbours, const Pack* __restrict__ features, Pack* __restrict__ out,
              Bytes* __restrict__ argmax)
{
    const int thread = blockIdx.x * 128 + threadIdx.x, vertex = thread / LANES, lane = thread % LANES;
    const int length = 4 + (vertex * 2654435761u >> 8) % 29;
    Pack best = features[neighbours[vertex * 32] * LANES + lane];
    Bytes place = {};
#pragma unroll 2
    for (int j = 1; j < length; ++j) {
        const Pack p = features[neighbours[vertex * 32 + j] * LANES + lane];
#pragma unroll
        for (int k = 0; k < VEC / 2; ++k) {
            if (PLACES) {
                const unsigned above = __hgt2_mask(p.v[k], best.v[k]);
                if (above & 0xffff) place.v[k * 2] = j;
                if (above >> 16) place.v[k * 2 + 1] = j;
            }
            best.v[k] = __hmax2(p.v[k], best.v[k]);
        }
    }
    out[thread] = best;
    if (PLACES) argmax[thread] = place;
}
