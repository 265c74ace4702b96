// Rows are dealt to blocks in turn; a thread keeps the sums of its columns in registers over all rows of its block.
#include <cuda_fp16.h>
constexpr int PARTS = COLS / 128 / VEC;
struct alignas(VEC * 2) Pack { __half v[VEC]; };

extern "C" __global__ void __launch_bounds__(128)
layernorm_all_grads_half(const Pack* __restrict__ x, const Pack* __restrict__ dy, const float* __restrict__ gamma,
                         const float* __restrict__ mean, const float* __restrict__ rstd, Pack* __restrict__ dx,
                         float* __restrict__ dgamma, float* __restrict__ dbeta)
{
    __shared__ float2 part[2][4];
    float dg[PARTS][VEC] = {}, db[PARTS][VEC] = {};
    int turn = 0;
#pragma unroll 1
    for (int row = blockIdx.x; row < 8192; row += BLOCKS) {
        const size_t at = (size_t)row * (COLS / VEC) + threadIdx.x;
        const float m = mean[row], r = rstd[row];
        float h[PARTS][VEC], g[PARTS][VEC], a = 0.0f, b = 0.0f;
#pragma unroll
        for (int i = 0; i < PARTS; ++i) {
            const Pack p = x[at + i * 128], q = dy[at + i * 128];
#pragma unroll
            for (int j = 0; j < VEC; ++j) {
                const float d = __half2float(q.v[j]);
                h[i][j] = (__half2float(p.v[j]) - m) * r;
                dg[i][j] += d * h[i][j];
                db[i][j] += d;
                g[i][j] = d * gamma[(i * 128 + threadIdx.x) * VEC + j];
                a += g[i][j];
                b += g[i][j] * h[i][j];
            }
        }
#pragma unroll
        for (int d = 16; d; d >>= 1) {
            a += __shfl_xor_sync(~0u, a, d);
            b += __shfl_xor_sync(~0u, b, d);
        }
        if (threadIdx.x % 32 == 0) part[turn][threadIdx.x / 32] = make_float2(a, b);
        __syncthreads();
        a = b = 0.0f;
#pragma unroll
        for (int w = 0; w < 4; ++w) {
            a += part[turn][w].x;
            b += part[turn][w].y;
        }
        turn ^= 1;
        a /= COLS;
        b /= COLS;
#pragma unroll
        for (int i = 0; i < PARTS; ++i) {
            Pack p;
#pragma unroll
            for (int j = 0; j < VEC; ++j) p.v[j] = __float2half_rn(r * (g[i][j] - a - h[i][j] * b));
            dx[at + i * 128] = p;
        }
    }
#pragma unroll
    for (int i = 0; i < PARTS; ++i)
#pragma unroll
        for (int j = 0; j < VEC; ++j) {
            const int col = (i * 128 + threadIdx.x) * VEC + j;
            if (ATOMICS) {
                atomicAdd(dgamma + col, dg[i][j]);
                atomicAdd(dbeta + col, db[i][j]);
            } else {
                dgamma[blockIdx.x * COLS + col] = dg[i][j];
                dbeta[blockIdx.x * COLS + col] = db[i][j];
            }
        }
}
