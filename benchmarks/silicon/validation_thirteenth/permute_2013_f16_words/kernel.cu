// y[c][a][b][d] = x[a][b][c][d] in FP16; ITEMS accesses a thread, in the order of the result or of the source.
#include <cuda_fp16.h>
constexpr int A = 32, B = 256, C = 64, W = D / VEC;
struct alignas(VEC * 2) Pack { __half h[VEC]; };

extern "C" __global__ void __launch_bounds__(256)
permute_2013_f16_words(const Pack* __restrict__ x, Pack* __restrict__ y)
{
    const int first = blockIdx.x * 256 * ITEMS + threadIdx.x;
    Pack p[ITEMS];
    int to[ITEMS];
#pragma unroll
    for (int i = 0; i < ITEMS; ++i) {
        const int at = first + i * 256, w = at % W, rest = at / W;
        int a, b, c;
        if (BY_INPUT) {
            c = rest % C;
            b = rest / C % B;
            a = rest / (C * B);
        } else {
            b = rest % B;
            a = rest / B % A;
            c = rest / (B * A);
        }
        const int in = ((a * B + b) * C + c) * W + w;
        to[i] = ((c * A + a) * B + b) * W + w;
        p[i] = x[in];
    }
#pragma unroll
    for (int i = 0; i < ITEMS; ++i) y[to[i]] = p[i];
}
