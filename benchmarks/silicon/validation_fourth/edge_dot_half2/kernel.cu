// A score an edge of a graph: the dot product of its ends' FP16 features, LANES lanes an edge. Sources come in order,
// eight edges each, or at random.
#include <cuda_fp16.h>

constexpr int PACKS = DIM / 8 / LANES;

struct alignas(16) Half8 { __half2 h[4]; };

extern "C" __global__ void edge_dot_half2(const int* __restrict__ source, const int* __restrict__ target,
                                          const Half8* __restrict__ features, float* __restrict__ score, int edges)
{
    const int thread = blockIdx.x * THREADS + threadIdx.x, edge = thread / LANES, lane = thread % LANES;
    if (edge >= edges) return;
    const int from = SORTED ? edge / 8 : source[edge], to = target[edge];
    float sum = 0.0f;
#pragma unroll
    for (int p = 0; p < PACKS; ++p) {
        const Half8 a = features[(size_t)from * (DIM / 8) + p * LANES + lane];
        const Half8 b = features[(size_t)to * (DIM / 8) + p * LANES + lane];
        __half2 s = __hmul2(a.h[0], b.h[0]);
#pragma unroll
        for (int k = 1; k < 4; ++k) s = __hfma2(a.h[k], b.h[k], s);
        sum += __low2float(s) + __high2float(s);
    }
#pragma unroll
    for (int d = LANES / 2; d > 0; d >>= 1) sum += __shfl_xor_sync(0xffffffff, sum, d);
    if (lane == 0) score[edge] = sum;
}
