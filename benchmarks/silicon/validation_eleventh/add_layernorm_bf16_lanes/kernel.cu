// The sum of two bf16 inputs is stored and normalised; LANES lanes have a row.
#include <cuda_bf16.h>
constexpr int OWN = COLS / (8 * LANES);

extern "C" __global__ void __launch_bounds__(THREADS)
add_layernorm_bf16_lanes(const uint4* __restrict__ x, const uint4* __restrict__ residual, const uint4* __restrict__ gamma,
                         const uint4* __restrict__ beta, uint4* __restrict__ total, uint4* __restrict__ y)
{
    const int id = blockIdx.x * THREADS + threadIdx.x, row = id / LANES, lane = id % LANES;
    const size_t base = (size_t)row * (COLS / 8) + lane;
    float v[OWN][8];
    float sum = 0.0f, squares = 0.0f;
#pragma unroll
    for (int i = 0; i < OWN; ++i) {
        const uint4 p = x[base + i * LANES], q = residual[base + i * LANES];
        const __nv_bfloat162 *a = reinterpret_cast<const __nv_bfloat162*>(&p), *b = reinterpret_cast<const __nv_bfloat162*>(&q);
        uint4 s;
        __nv_bfloat162* c = reinterpret_cast<__nv_bfloat162*>(&s);
#pragma unroll
        for (int j = 0; j < 4; ++j) {
            const float2 f = __bfloat1622float2(a[j]), g = __bfloat1622float2(b[j]);
            v[i][2 * j] = f.x + g.x;
            v[i][2 * j + 1] = f.y + g.y;
            c[j] = __floats2bfloat162_rn(v[i][2 * j], v[i][2 * j + 1]);
            sum += v[i][2 * j] + v[i][2 * j + 1];
            squares += v[i][2 * j] * v[i][2 * j] + v[i][2 * j + 1] * v[i][2 * j + 1];
        }
        total[base + i * LANES] = s;
    }
#pragma unroll
    for (int d = LANES / 2; d; d >>= 1) {
        sum += __shfl_xor_sync(~0u, sum, d);
        squares += __shfl_xor_sync(~0u, squares, d);
    }
    const float mean = sum * (1.0f / COLS), by = rsqrtf(squares * (1.0f / COLS) - mean * mean + 1.0e-5f);
#pragma unroll
    for (int i = 0; i < OWN; ++i) {
        const uint4 p = __ldg(gamma + i * LANES + lane), q = __ldg(beta + i * LANES + lane);
        const __nv_bfloat162 *a = reinterpret_cast<const __nv_bfloat162*>(&p), *b = reinterpret_cast<const __nv_bfloat162*>(&q);
        uint4 r;
        __nv_bfloat162* c = reinterpret_cast<__nv_bfloat162*>(&r);
#pragma unroll
        for (int j = 0; j < 4; ++j) {
            const float2 f = __bfloat1622float2(a[j]), g = __bfloat1622float2(b[j]);
            c[j] = __floats2bfloat162_rn((v[i][2 * j] - mean) * by * f.x + g.x, (v[i][2 * j + 1] - mean) * by * f.y + g.y);
        }
        y[base + i * LANES] = r;
    }
}
