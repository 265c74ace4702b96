// Softmax of bf16 rows; a lane has COLS / 32 numbers of each of ROWS rows, kept as they were read.
#include <cuda_bf16.h>
constexpr int PARTS = COLS / 256, THREADS = 32 * WARPS;

__device__ __forceinline__ float ex2(float x)
{
    float y;
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
}

__device__ __forceinline__ float raised(float x, float top)
{
    return EXACT ? expf(x - top) : ex2((x - top) * 1.44269504f);
}

extern "C" __global__ void __launch_bounds__(THREADS)
softmax_bf16_rows_together(const __nv_bfloat16* __restrict__ x, __nv_bfloat16* __restrict__ y)
{
    const int lane = threadIdx.x % 32;
    const size_t first = ((size_t)blockIdx.x * WARPS + threadIdx.x / 32) * ROWS * COLS + lane * 8;
    uint4 kept[ROWS][PARTS];
    float top[ROWS], sum[ROWS];
#pragma unroll
    for (int r = 0; r < ROWS; ++r)
#pragma unroll
        for (int i = 0; i < PARTS; ++i) kept[r][i] = *reinterpret_cast<const uint4*>(x + first + r * COLS + i * 256);
#pragma unroll
    for (int r = 0; r < ROWS; ++r) {
        top[r] = -1.0e30f;
#pragma unroll
        for (int i = 0; i < PARTS; ++i) {
            const unsigned w[4] = {kept[r][i].x, kept[r][i].y, kept[r][i].z, kept[r][i].w};
#pragma unroll
            for (int j = 0; j < 4; ++j)
                top[r] = fmaxf(top[r], fmaxf(__uint_as_float(w[j] << 16), __uint_as_float(w[j] & 0xffff0000u)));
        }
    }
#pragma unroll
    for (int d = 16; d; d >>= 1)
#pragma unroll
        for (int r = 0; r < ROWS; ++r) top[r] = fmaxf(top[r], __shfl_xor_sync(~0u, top[r], d));
#pragma unroll
    for (int r = 0; r < ROWS; ++r) {
        sum[r] = 0.0f;
#pragma unroll
        for (int i = 0; i < PARTS; ++i) {
            const unsigned w[4] = {kept[r][i].x, kept[r][i].y, kept[r][i].z, kept[r][i].w};
#pragma unroll
            for (int j = 0; j < 4; ++j)
                sum[r] += raised(__uint_as_float(w[j] << 16), top[r]) + raised(__uint_as_float(w[j] & 0xffff0000u), top[r]);
        }
    }
#pragma unroll
    for (int d = 16; d; d >>= 1)
#pragma unroll
        for (int r = 0; r < ROWS; ++r) sum[r] += __shfl_xor_sync(~0u, sum[r], d);
#pragma unroll
    for (int r = 0; r < ROWS; ++r) {
        const float scale = 1.0f / sum[r];
#pragma unroll
        for (int i = 0; i < PARTS; ++i) {
            unsigned w[4] = {kept[r][i].x, kept[r][i].y, kept[r][i].z, kept[r][i].w};
#pragma unroll
            for (int j = 0; j < 4; ++j) {
                const __nv_bfloat162 p = __floats2bfloat162_rn(raised(__uint_as_float(w[j] << 16), top[r]) * scale,
                                                               raised(__uint_as_float(w[j] & 0xffff0000u), top[r]) * scale);
                w[j] = *reinterpret_cast<const unsigned*>(&p);
            }
            *reinterpret_cast<uint4*>(y + first + r * COLS + i * 256) = make_uint4(w[0], w[1], w[2], w[3]);
        }
    }
}
