// The output of a fused projection, (batch, token, q/k/v, head, 64) in FP16, plus its bias, taken apart into q, k and
// v of (batch, head, token, 64). K_COLUMNS writes k as (batch, head, 64, token).
#include <cuda_fp16.h>

constexpr int HEADS = 12, DIM = 64, WIDTH = 3 * HEADS * DIM;

struct alignas(2 * VEC) Halves { half2 h[VEC / 2]; };

extern "C" __global__ void qkv_bias_split(const half* __restrict__ qkv, const half* __restrict__ bias,
                                          half* __restrict__ q, half* __restrict__ k, half* __restrict__ v,
                                          int tokens, int count)
{
    const int i = (blockIdx.x * THREADS + threadIdx.x) * VEC;
    if (i >= count) return;
    const int column = i % WIDTH, row = i / WIDTH;
    const int d = column % DIM, head = column / DIM % HEADS, which = column / (DIM * HEADS);
    const int token = row % tokens, batch = row / tokens;
    Halves a = *reinterpret_cast<const Halves*>(qkv + i);
    const Halves b = *reinterpret_cast<const Halves*>(bias + column);
#pragma unroll
    for (int j = 0; j < VEC / 2; ++j) a.h[j] = __hadd2(a.h[j], b.h[j]);
    const size_t to = ((size_t)(batch * HEADS + head) * tokens + token) * DIM + d;
#if K_COLUMNS
    if (which == 1) {
        half* column_of = k + ((size_t)(batch * HEADS + head) * DIM + d) * tokens + token;
#pragma unroll
        for (int j = 0; j < VEC / 2; ++j) {
            column_of[(size_t)(2 * j) * tokens] = __low2half(a.h[j]);
            column_of[(size_t)(2 * j + 1) * tokens] = __high2half(a.h[j]);
        }
        return;
    }
#endif
    *reinterpret_cast<Halves*>((which == 0 ? q : which == 1 ? k : v) + to) = a;
}
