// dx = y * (dy - sum(y * dy)) in FP16, a row by WARPS_ROW warps.
#include <cuda_fp16.h>

constexpr int LANES = 32 * WARPS_ROW, PACKS = COLS / (VEC * LANES);

struct alignas(VEC * 2) Pack { __half2 v[VEC / 2]; };

extern "C" __global__ void __launch_bounds__(LANES)
softmax_dx_half8(const Pack* __restrict__ y, const Pack* __restrict__ dy, Pack* __restrict__ dx)
{
    __shared__ float parts[WARPS_ROW];
    const int t = threadIdx.x, base = blockIdx.x * (COLS / VEC) + t;
    Pack a[PACKS], b[PACKS];
    float dot = 0.0f;
#pragma unroll
    for (int i = 0; i < PACKS; ++i) {
        a[i] = y[base + i * LANES];
        b[i] = dy[base + i * LANES];
#pragma unroll
        for (int k = 0; k < VEC / 2; ++k) {
            const float2 p = __half22float2(a[i].v[k]), q = __half22float2(b[i].v[k]);
            dot += p.x * q.x + p.y * q.y;
        }
    }
#pragma unroll
    for (int d = 16; d > 0; d >>= 1) dot += __shfl_xor_sync(0xffffffff, dot, d);
    if (WARPS_ROW > 1) {
        if (t % 32 == 0) parts[t / 32] = dot;
        __syncthreads();
        dot = 0.0f;
#pragma unroll
        for (int w = 0; w < WARPS_ROW; ++w) dot += parts[w];
    }
#pragma unroll
    for (int i = 0; i < PACKS; ++i) {
        Pack o;
#pragma unroll
        for (int k = 0; k < VEC / 2; ++k) {
            const float2 p = __half22float2(a[i].v[k]), q = __half22float2(b[i].v[k]);
            o.v[k] = __floats2half2_rn(p.x * (q.x - dot), p.y * (q.y - dot));
        }
        dx[base + i * LANES] = o;
    }
}
