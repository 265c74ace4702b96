// Column sums of dy and dy * xhat over a strip of rows; rows of threads are added up in shared memory.
#include <cuda_bf16.h>
constexpr int PACKS = COLS / VEC, WIDTH = 32 * VEC;
struct alignas(VEC * 2) Pack { __nv_bfloat162 h[VEC / 2]; };

extern "C" __global__ void __launch_bounds__(32 * BY)
layernorm_dgamma_bf16_row_strips(const Pack* __restrict__ x, const Pack* __restrict__ dy, const float* __restrict__ mean, const float* __restrict__ rstd,
                                 float* __restrict__ dgamma, float* __restrict__ dbeta)
{
    __shared__ float sums[2][BY][WIDTH];
    const int pack = blockIdx.x * 32 + threadIdx.x, row0 = blockIdx.y * STRIP;
    float g[VEC] = {}, b[VEC] = {};
#pragma unroll 2
    for (int r = row0 + threadIdx.y; r < row0 + STRIP; r += BY) {
        const Pack px = x[(size_t)r * PACKS + pack], pd = dy[(size_t)r * PACKS + pack];
        const float m = mean[r], s = rstd[r];
#pragma unroll
        for (int j = 0; j < VEC / 2; ++j) {
            const float2 fx = __bfloat1622float2(px.h[j]), fd = __bfloat1622float2(pd.h[j]);
            g[2 * j] += fd.x * (fx.x - m) * s;
            g[2 * j + 1] += fd.y * (fx.y - m) * s;
            b[2 * j] += fd.x;
            b[2 * j + 1] += fd.y;
        }
    }
#pragma unroll
    for (int j = 0; j < VEC; ++j) {
        sums[0][threadIdx.y][j * 32 + threadIdx.x] = g[j];
        sums[1][threadIdx.y][j * 32 + threadIdx.x] = b[j];
    }
    __syncthreads();
    for (int i = threadIdx.y * 32 + threadIdx.x; i < 2 * WIDTH; i += 32 * BY) {
        const int which = i / WIDTH, c = i % WIDTH, from = c % VEC * 32 + c / VEC;
        float sum = 0.0f;
#pragma unroll
        for (int r = 0; r < BY; ++r) sum += sums[which][r][from];
        (which ? dbeta : dgamma)[(size_t)blockIdx.y * COLS + blockIdx.x * WIDTH + c] = sum;
    }
}
