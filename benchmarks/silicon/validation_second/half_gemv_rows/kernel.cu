// y = W x for inference of a single token. HALF_MATH multiplies and adds pairs of halves and goes to FP32 after
// each access; otherwise everything is FP32.
#include <cuda_fp16.h>

struct alignas(2 * VEC) Halves { half2 h[VEC / 2]; };

extern "C" __global__ void half_gemv_rows(const half* __restrict__ w, const half* __restrict__ x, float* __restrict__ y)
{
    const int row0 = (blockIdx.x * 4 + threadIdx.y) * ROWS_WARP;
    const Halves* xv = (const Halves*)x;
    float sum[ROWS_WARP];
    for (int r = 0; r < ROWS_WARP; r++) sum[r] = 0.0f;

#pragma unroll 4
    for (int c = threadIdx.x; c < COLS / VEC; c += 32) {
        const Halves b = xv[c];
#pragma unroll
        for (int r = 0; r < ROWS_WARP; r++) {
            const Halves a = ((const Halves*)(w + (size_t)(row0 + r) * COLS))[c];
#if HALF_MATH
            half2 p = __hmul2(a.h[0], b.h[0]);
#pragma unroll
            for (int i = 1; i < VEC / 2; i++) p = __hfma2(a.h[i], b.h[i], p);
            sum[r] += __low2float(p) + __high2float(p);
#else
#pragma unroll
            for (int i = 0; i < VEC / 2; i++) {
                const float2 fa = __half22float2(a.h[i]), fb = __half22float2(b.h[i]);
                sum[r] += fa.x * fb.x + fa.y * fb.y;
            }
#endif
        }
    }
#pragma unroll
    for (int r = 0; r < ROWS_WARP; r++) {
        for (int m = 16; m > 0; m >>= 1) sum[r] += __shfl_xor_sync(0xffffffff, sum[r], m);
        if (threadIdx.x == r) y[row0 + r] = sum[r];
    }
}
