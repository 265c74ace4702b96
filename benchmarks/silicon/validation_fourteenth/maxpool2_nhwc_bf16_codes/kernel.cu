// The first of equal numbers wins, as in a scan of the window by rows.
#include <cuda_bf16.h>
constexpr int C = 64 / VEC, W = 112, O = 56;
struct alignas(VEC * 2) Pack { __nv_bfloat16 h[VEC]; };
struct alignas(VEC) Bytes { unsigned char b[VEC]; };

extern "C" __global__ void __launch_bounds__(THREADS)
maxpool2_nhwc_bf16_codes(const Pack* __restrict__ x, Pack* __restrict__ y, Bytes* __restrict__ code)
{
    const int first = blockIdx.x * THREADS * ITEMS + threadIdx.x;
    Pack p[ITEMS][4];
#pragma unroll
    for (int i = 0; i < ITEMS; ++i) {
        const int at = first + i * THREADS, c = at % C, col = at / C % O, row = at / (C * O) % O, image = at / (C * O * O);
        const Pack* from = x + ((size_t)(image * W + 2 * row) * W + 2 * col) * C + c;
        p[i][0] = from[0];
        p[i][1] = from[C];
        p[i][2] = from[W * C];
        p[i][3] = from[W * C + C];
    }
#pragma unroll
    for (int i = 0; i < ITEMS; ++i) {
        Pack o;
        Bytes b;
#pragma unroll
        for (int j = 0; j < VEC; ++j) {
            __nv_bfloat16 best = p[i][0].h[j];
            int which = 0;
#pragma unroll
            for (int k = 1; k < 4; ++k) {
                const bool more = p[i][k].h[j] > best;
                best = more ? p[i][k].h[j] : best;
                which = more ? k : which;
            }
            o.h[j] = best;
            b.b[j] = which;
        }
        y[first + i * THREADS] = o;
        if (CODES) code[first + i * THREADS] = b;
    }
}
