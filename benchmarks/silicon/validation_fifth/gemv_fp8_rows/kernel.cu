// y = W x with weights in e4m3, ROWS_WARP rows a warp; products in FP16 pairs are added up in FP32.
#include <cuda_fp16.h>
#include <cuda_fp8.h>

constexpr int COLS = 4096;

struct alignas(BYTES) Pack { unsigned short v[BYTES / 2]; };
struct alignas(16) Halves { __half2 h[4]; };

extern "C" __global__ void __launch_bounds__(256)
gemv_fp8_rows(const Pack* __restrict__ w, const __half* __restrict__ x, float* __restrict__ y)
{
    const int lane = threadIdx.x % 32, row0 = (blockIdx.x * 8 + threadIdx.x / 32) * ROWS_WARP;
#if IN_SHARED
    __shared__ __align__(16) __half vector[COLS];
    for (int i = threadIdx.x; i < COLS / 8; i += 256) ((Halves*)vector)[i] = ((const Halves*)x)[i];
    __syncthreads();
#else
    const __half* vector = x;
#endif
    float sum[ROWS_WARP] = {};
#pragma unroll 2
    for (int i = lane; i < COLS / BYTES; i += 32) {
        Pack p[ROWS_WARP];
#pragma unroll
        for (int r = 0; r < ROWS_WARP; ++r) p[r] = w[(row0 + r) * (COLS / BYTES) + i];
#pragma unroll
        for (int part = 0; part < BYTES / 8; ++part) {
            const Halves h = ((const Halves*)vector)[i * (BYTES / 8) + part];
#pragma unroll
            for (int r = 0; r < ROWS_WARP; ++r)
#pragma unroll
                for (int k = 0; k < 4; ++k) {
                    const __half2_raw raw = __nv_cvt_fp8x2_to_halfraw2(p[r].v[part * 4 + k], __NV_E4M3);
                    const float2 a = __half22float2(__half2(raw)), b = __half22float2(h.h[k]);
                    sum[r] += a.x * b.x + a.y * b.y;
                }
        }
    }
#pragma unroll
    for (int r = 0; r < ROWS_WARP; ++r) {
#pragma unroll
        for (int d = 16; d > 0; d >>= 1) sum[r] += __shfl_down_sync(0xffffffff, sum[r], d);
        if (lane == 0) y[row0 + r] = sum[r];
    }
}
