// Softmax of bf16 rows; every lane has a running maximum and sum, which shuffles put together.
#include <cuda_bf16.h>
constexpr int PACKS = COLS / VEC, V = PACKS / LANES;
struct alignas(VEC * 2) Pack { __nv_bfloat162 h[VEC / 2]; };

extern "C" __global__ void __launch_bounds__(THREADS)
softmax_bf16_lanes_online(const Pack* __restrict__ x, Pack* __restrict__ y)
{
    const int id = blockIdx.x * THREADS + threadIdx.x;
    const size_t first = (size_t)(id / LANES) * PACKS + id % LANES;
    float top = -1e30f, sum = 0.0f;
#pragma unroll 4
    for (int i = 0; i < V; ++i) {
        const Pack p = x[first + i * LANES];
        float here = top;
#pragma unroll
        for (int j = 0; j < VEC / 2; ++j) {
            const float2 f = __bfloat1622float2(p.h[j]);
            here = fmaxf(here, fmaxf(f.x, f.y));
        }
        sum *= __expf(top - here);
#pragma unroll
        for (int j = 0; j < VEC / 2; ++j) {
            const float2 f = __bfloat1622float2(p.h[j]);
            sum += __expf(f.x - here) + __expf(f.y - here);
        }
        top = here;
    }
#pragma unroll
    for (int d = LANES / 2; d; d >>= 1) {
        const float other = __shfl_xor_sync(~0u, top, d), more = __shfl_xor_sync(~0u, sum, d), both = fmaxf(top, other);
        sum = sum * __expf(top - both) + more * __expf(other - both);
        top = both;
    }
    const float scale = 1.0f / sum;
#pragma unroll 4
    for (int i = 0; i < V; ++i) {
        const Pack p = x[first + i * LANES];
        Pack o;
#pragma unroll
        for (int j = 0; j < VEC / 2; ++j) {
            const float2 f = __bfloat1622float2(p.h[j]);
            o.h[j] = __floats2bfloat162_rn(__expf(f.x - top) * scale, __expf(f.y - top) * scale);
        }
        y[first + i * LANES] = o;
    }
}
