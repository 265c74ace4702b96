// y = layer_norm(x + residual) in bf16, the sum written too; WARPS_ROW warps a row, 16 bytes an access.
#include <cuda_bf16.h>

constexpr int LANES = 32 * WARPS_ROW, PACKS = COLS / (8 * LANES);

struct alignas(16) Pack { __nv_bfloat162 v[4]; };

__device__ float row_sum(float value, float* shared, int row, int lane)
{
#pragma unroll
    for (int d = 16; d > 0; d >>= 1) value += __shfl_xor_sync(0xffffffff, value, d);
    if (WARPS_ROW == 1) return value;
    __syncthreads();
    if (lane % 32 == 0) shared[row * WARPS_ROW + lane / 32] = value;
    __syncthreads();
    value = 0.0f;
#pragma unroll
    for (int w = 0; w < WARPS_ROW; ++w) value += shared[row * WARPS_ROW + w];
    return value;
}

extern "C" __global__ void __launch_bounds__(LANES * ROWS_BLOCK)
residual_norm_bf16x8(const Pack* __restrict__ x, const Pack* __restrict__ residual, const Pack* __restrict__ weight,
                     const Pack* __restrict__ bias, Pack* __restrict__ sum_out, Pack* __restrict__ y)
{
    __shared__ float shared[ROWS_BLOCK * WARPS_ROW];
    const int local = threadIdx.x / LANES, lane = threadIdx.x % LANES;
    const int base = (blockIdx.x * ROWS_BLOCK + local) * (COLS / 8) + lane;
    float2 f[PACKS][4];
    float sum = 0.0f, squares = 0.0f;
#pragma unroll
    for (int i = 0; i < PACKS; ++i) {
        const Pack a = x[base + i * LANES], b = residual[base + i * LANES];
        Pack s;
#pragma unroll
        for (int k = 0; k < 4; ++k) {
            const float2 u = __bfloat1622float2(a.v[k]), w = __bfloat1622float2(b.v[k]);
            f[i][k] = make_float2(u.x + w.x, u.y + w.y);
            s.v[k] = __float22bfloat162_rn(f[i][k]);
            sum += f[i][k].x + f[i][k].y;
            if (!TWO_PASS) squares += f[i][k].x * f[i][k].x + f[i][k].y * f[i][k].y;
        }
        sum_out[base + i * LANES] = s;
    }
    const float mean = row_sum(sum, shared, local, lane) / COLS;
    if (TWO_PASS) {
#pragma unroll
        for (int i = 0; i < PACKS; ++i)
#pragma unroll
            for (int k = 0; k < 4; ++k) {
                const float p = f[i][k].x - mean, q = f[i][k].y - mean;
                squares += p * p + q * q;
            }
    }
    squares = row_sum(squares, shared, local, lane) / COLS;
    const float scale = rsqrtf((TWO_PASS ? squares : squares - mean * mean) + 1e-8f);
#pragma unroll
    for (int i = 0; i < PACKS; ++i) {
        const Pack w = weight[lane + i * LANES], b = bias[lane + i * LANES];
        Pack o;
#pragma unroll
        for (int k = 0; k < 4; ++k) {
            const float2 g = __bfloat1622float2(w.v[k]), h = __bfloat1622float2(b.v[k]);
            o.v[k] = __float22bfloat162_rn(make_float2((f[i][k].x - mean) * scale * g.x + h.x,
                                                       (f[i][k].y - mean) * scale * g.y + h.y));
        }
        y[base + i * LANES] = o;
    }
}
