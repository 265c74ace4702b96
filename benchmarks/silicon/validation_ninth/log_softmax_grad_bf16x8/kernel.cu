// dx = dy - exp(y) times the sum of dy, a block a row of bf16 numbers.
#include <cuda_bf16.h>
constexpr int PARTS = COLS / THREADS / VEC, SHORT = PARTS < 8 ? PARTS / 2 : 4, TURNS = STASH ? PARTS : SHORT;
struct alignas(VEC * 2) Pack { __nv_bfloat162 v[VEC / 2]; };

extern "C" __global__ void __launch_bounds__(THREADS)
log_softmax_grad_bf16x8(const Pack* __restrict__ y, const Pack* __restrict__ dy, Pack* __restrict__ dx)
{
    __shared__ float part[THREADS / 32];
    const size_t at = (size_t)blockIdx.x * (COLS / VEC) + threadIdx.x;
    Pack held[STASH ? PARTS : 1];
    float sum = 0.0f;
#pragma unroll TURNS
    for (int i = 0; i < PARTS; ++i) {
        const Pack q = dy[at + i * THREADS];
        if (STASH) held[i] = q;
#pragma unroll
        for (int j = 0; j < VEC / 2; ++j) {
            const float2 t = __bfloat1622float2(q.v[j]);
            sum += t.x + t.y;
        }
    }
#pragma unroll
    for (int d = 16; d; d >>= 1) sum += __shfl_xor_sync(~0u, sum, d);
    if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = sum;
    __syncthreads();
    sum = 0.0f;
#pragma unroll
    for (int w = 0; w < THREADS / 32; ++w) sum += part[w];
#pragma unroll TURNS
    for (int i = 0; i < PARTS; ++i) {
        const Pack p = y[at + i * THREADS], q = STASH ? held[i] : dy[at + i * THREADS];
        Pack r;
#pragma unroll
        for (int j = 0; j < VEC / 2; ++j) {
            const float2 u = __bfloat1622float2(p.v[j]), t = __bfloat1622float2(q.v[j]);
            r.v[j] = __floats2bfloat162_rn(t.x - __expf(u.x) * sum, t.y - __expf(u.y) * sum);
        }
        dx[at + i * THREADS] = r;
    }
}
