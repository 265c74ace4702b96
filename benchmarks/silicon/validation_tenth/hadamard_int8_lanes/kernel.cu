// A lane has pairs of numbers, LANES pairs apart; its butterflies are in registers, those of lanes by shuffles.
#include <cuda_fp16.h>
constexpr int PAIRS = DIM / LANES / 2;

extern "C" __global__ void __launch_bounds__(32 * WARPS)
hadamard_int8_lanes(const __half2* __restrict__ x, char2* __restrict__ q, float* __restrict__ scale)
{
    const int id = blockIdx.x * (32 * WARPS) + threadIdx.x, row = id / LANES, lane = id % LANES;
    float f[PAIRS][2];
#pragma unroll
    for (int i = 0; i < PAIRS; ++i) {
        const float2 p = __half22float2(x[(size_t)row * (DIM / 2) + i * LANES + lane]);
        f[i][0] = p.x + p.y;
        f[i][1] = p.x - p.y;
    }
#pragma unroll
    for (int d = 1; d < LANES; d *= 2)
#pragma unroll
        for (int i = 0; i < PAIRS; ++i)
#pragma unroll
            for (int j = 0; j < 2; ++j) {
                const float other = __shfl_xor_sync(~0u, f[i][j], d);
                f[i][j] = lane & d ? other - f[i][j] : f[i][j] + other;
            }
#pragma unroll
    for (int d = 1; d < PAIRS; d *= 2)
#pragma unroll
        for (int i = 0; i < PAIRS; ++i)
            if (!(i & d))
#pragma unroll
                for (int j = 0; j < 2; ++j) {
                    const float a = f[i][j], b = f[i + d][j];
                    f[i][j] = a + b;
                    f[i + d][j] = a - b;
                }
    float top = 1.0e-8f;
#pragma unroll
    for (int i = 0; i < PAIRS; ++i) top = fmaxf(top, fmaxf(fabsf(f[i][0]), fabsf(f[i][1])));
#pragma unroll
    for (int d = LANES / 2; d; d >>= 1) top = fmaxf(top, __shfl_xor_sync(~0u, top, d));
    const float by = 127.0f / top;
#pragma unroll
    for (int i = 0; i < PAIRS; ++i)
        q[(size_t)row * (DIM / 2) + i * LANES + lane] = make_char2(__float2int_rn(f[i][0] * by), __float2int_rn(f[i][1] * by));
    if (lane == 0) scale[row] = top / 127.0f;
}
