// Cross entropy of a row by a block; the gradient takes the place of the logits.
#include <cuda_bf16.h>
constexpr int VOCAB = 8192, PACKS = VOCAB / VEC, V = PACKS / THREADS, WARPS = THREADS / 32;
struct alignas(VEC * 2) Pack { __nv_bfloat162 h[VEC / 2]; };

extern "C" __global__ void __launch_bounds__(THREADS)
xent_bf16_grad_in_place(Pack* logits, const int* __restrict__ labels, float* __restrict__ loss)
{
    __shared__ float part[2][32];
    __shared__ float chosen;
    Pack* row = logits + (size_t)blockIdx.x * PACKS;
    const int label = labels[blockIdx.x], lane = threadIdx.x % 32;
    if (threadIdx.x == 0) chosen = __bfloat162float(reinterpret_cast<__nv_bfloat16*>(row)[label]);
    Pack p[KEPT ? V : 1];
    float top = -1e30f, sum = 0.0f;
#pragma unroll
    for (int i = 0; i < V; ++i) {
        const Pack q = row[threadIdx.x + i * THREADS];
        if (KEPT) p[KEPT ? i : 0] = q;
#pragma unroll
        for (int j = 0; j < VEC / 2; ++j) {
            const float2 f = __bfloat1622float2(q.h[j]);
            top = fmaxf(top, fmaxf(f.x, f.y));
        }
    }
#pragma unroll
    for (int d = 16; d; d >>= 1) top = fmaxf(top, __shfl_xor_sync(~0u, top, d));
    if (lane == 0) part[0][threadIdx.x / 32] = top;
    __syncthreads();
    top = lane < WARPS ? part[0][lane] : -1e30f;
#pragma unroll
    for (int d = 16; d; d >>= 1) top = fmaxf(top, __shfl_xor_sync(~0u, top, d));
#pragma unroll
    for (int i = 0; i < V; ++i) {
        const Pack q = KEPT ? p[KEPT ? i : 0] : row[threadIdx.x + i * THREADS];
#pragma unroll
        for (int j = 0; j < VEC / 2; ++j) {
            const float2 f = __bfloat1622float2(q.h[j]);
            sum += __expf(f.x - top) + __expf(f.y - top);
        }
    }
#pragma unroll
    for (int d = 16; d; d >>= 1) sum += __shfl_xor_sync(~0u, sum, d);
    if (lane == 0) part[1][threadIdx.x / 32] = sum;
    __syncthreads();
    sum = lane < WARPS ? part[1][lane] : 0.0f;
#pragma unroll
    for (int d = 16; d; d >>= 1) sum += __shfl_xor_sync(~0u, sum, d);
    const float scale = 1.0f / sum;
#pragma unroll
    for (int i = 0; i < V; ++i) {
        const int at = threadIdx.x + i * THREADS;
        Pack q = KEPT ? p[KEPT ? i : 0] : row[at];
#pragma unroll
        for (int j = 0; j < VEC / 2; ++j) {
            const float2 f = __bfloat1622float2(q.h[j]);
            const int col = at * VEC + 2 * j;
            const float a = __expf(f.x - top) * scale - (col == label ? 1.0f : 0.0f), b = __expf(f.y - top) * scale - (col + 1 == label ? 1.0f : 0.0f);
            q.h[j] = __floats2bfloat162_rn(a * (1.0f / 2048), b * (1.0f / 2048));
        }
        row[at] = q;
    }
    if (threadIdx.x == 0) loss[blockIdx.x] = __logf(sum) + top - chosen;
}
