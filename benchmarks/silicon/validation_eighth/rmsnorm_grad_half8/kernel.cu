// dx = r * (dy * gain - x * r * r * mean(dy * gain * x)), r from the row; a warp a row of FP16 numbers.
#include <cuda_fp16.h>
struct alignas(VEC * 2) Pack { __half2 v[VEC / 2]; };
constexpr int PACKS = COLS / VEC, TURNS = PACKS / 32, TIMES = STASH ? TURNS : 1;

extern "C" __global__ void __launch_bounds__(32 * WARPS)
rmsnorm_grad_half8(const Pack* __restrict__ x, const Pack* __restrict__ dy, const Pack* __restrict__ gain, Pack* __restrict__ dx)
{
    const int lane = threadIdx.x % 32;
    const size_t row = (size_t)(blockIdx.x * WARPS + threadIdx.x / 32) * PACKS;
    Pack xs[STASH ? TURNS : 1], ds[STASH ? TURNS : 1];
    float q = 0.0f, s = 0.0f;
#pragma unroll
    for (int i = 0; i < TURNS; ++i) {
        const Pack a = x[row + i * 32 + lane], d = dy[row + i * 32 + lane], g = gain[i * 32 + lane];
#pragma unroll
        for (int j = 0; j < VEC / 2; ++j) {
            const float2 fa = __half22float2(a.v[j]), fd = __half22float2(d.v[j]), fg = __half22float2(g.v[j]);
            q += fa.x * fa.x + fa.y * fa.y;
            s += fa.x * fd.x * fg.x + fa.y * fd.y * fg.y;
        }
        if (STASH) {
            xs[i % (STASH ? TURNS : 1)] = a;
            ds[i % (STASH ? TURNS : 1)] = d;
        }
    }
#pragma unroll
    for (int d = 16; d; d >>= 1) {
        q += __shfl_xor_sync(~0u, q, d);
        s += __shfl_xor_sync(~0u, s, d);
    }
    const float r = rsqrtf(q / COLS + 1.0e-6f), c = s * r * r / COLS;
#pragma unroll TIMES
    for (int i = 0; i < TURNS; ++i) {
        const Pack a = STASH ? xs[i % (STASH ? TURNS : 1)] : x[row + i * 32 + lane];
        const Pack d = STASH ? ds[i % (STASH ? TURNS : 1)] : dy[row + i * 32 + lane];
        const Pack g = gain[i * 32 + lane];
        Pack o;
#pragma unroll
        for (int j = 0; j < VEC / 2; ++j) {
            const float2 fa = __half22float2(a.v[j]), fd = __half22float2(d.v[j]), fg = __half22float2(g.v[j]);
            o.v[j] = __floats2half2_rn(r * (fd.x * fg.x - fa.x * c), r * (fd.y * fg.y - fa.y * c));
        }
        dx[row + i * 32 + lane] = o;
    }
}
