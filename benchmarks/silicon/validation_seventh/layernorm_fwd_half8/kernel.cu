#include <cuda_fp16.h>
// A warp a row, the row in registers.
struct alignas(VEC * 2) Pack { half2 v[VEC / 2]; };
constexpr int PACKS = COLS / VEC, PER = PACKS / 32;

__device__ float warp_sum(float s)
{
#pragma unroll
    for (int d = 16; d; d >>= 1) s += __shfl_xor_sync(~0u, s, d);
    return s;
}

extern "C" __global__ void __launch_bounds__(WARPS * 32)
layernorm_fwd_half8(const Pack* __restrict__ x, const Pack* __restrict__ gamma, const Pack* __restrict__ beta,
                    Pack* __restrict__ y, float* __restrict__ mean_out, float* __restrict__ rstd_out)
{
    const int row = blockIdx.x * WARPS + threadIdx.x / 32, lane = threadIdx.x % 32;
    Pack p[PER];
#pragma unroll
    for (int k = 0; k < PER; ++k) p[k] = x[(size_t)row * PACKS + k * 32 + lane];
    float sum = 0.0f, squares = 0.0f;
#pragma unroll
    for (int k = 0; k < PER; ++k)
#pragma unroll
        for (int j = 0; j < VEC / 2; ++j) {
            const float2 f = __half22float2(p[k].v[j]);
            sum += f.x + f.y;
#if ONE_PASS
            squares += f.x * f.x + f.y * f.y;
#endif
        }
    const float mean = warp_sum(sum) / COLS;
#if ONE_PASS
    const float var = warp_sum(squares) / COLS - mean * mean;
#else
#pragma unroll
    for (int k = 0; k < PER; ++k)
#pragma unroll
        for (int j = 0; j < VEC / 2; ++j) {
            const float2 f = __half22float2(p[k].v[j]);
            squares += (f.x - mean) * (f.x - mean) + (f.y - mean) * (f.y - mean);
        }
    const float var = warp_sum(squares) / COLS;
#endif
    const float rstd = rsqrtf(var + 1e-5f);
#pragma unroll
    for (int k = 0; k < PER; ++k) {
        const Pack g = gamma[k * 32 + lane], b = beta[k * 32 + lane];
        Pack out;
#pragma unroll
        for (int j = 0; j < VEC / 2; ++j) {
            const float2 f = __half22float2(p[k].v[j]), gf = __half22float2(g.v[j]), bf = __half22float2(b.v[j]);
            out.v[j] = __floats2half2_rn((f.x - mean) * rstd * gf.x + bf.x, (f.y - mean) * rstd * gf.y + bf.y);
        }
        y[(size_t)row * PACKS + k * 32 + lane] = out;
    }
    if (lane == 0) {
        mean_out[row] = mean;
        rstd_out[row] = rstd;
    }
}
