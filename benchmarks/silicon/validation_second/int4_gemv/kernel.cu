// Weights of four bits, eight in a word, minus 8, times a scale per 64 columns. WORDS words an access.
// The vector of 4,096 halves comes from memory or is brought to shared memory first.
#include <cuda_fp16.h>

struct alignas(4 * WORDS) Bits { unsigned w[WORDS]; };

extern "C" __global__ void int4_gemv(const Bits* __restrict__ packed, const half* __restrict__ scales,
                                     const half* __restrict__ x, float* __restrict__ y)
{
    constexpr int cols = 4096, accesses = cols / 8 / WORDS;
#if X_SHARED
    __shared__ __align__(16) half staged[cols];
    const int t = threadIdx.y * 32 + threadIdx.x;
    for (int i = t; i < cols / 8; i += 32 * WARPS) ((uint4*)staged)[i] = ((const uint4*)x)[i];
    __syncthreads();
    const half* vector = staged;
#else
    const half* vector = x;
#endif
    const int row = blockIdx.x * WARPS + threadIdx.y;
    const Bits* weights = packed + row * accesses;
    const half* row_scales = scales + row * (cols / 64);
    float acc = 0.0f;
#pragma unroll 2
    for (int i = threadIdx.x; i < accesses; i += 32) {
        const Bits b = weights[i];
        const float scale = __half2float(row_scales[i * WORDS * 8 / 64]);
        float part = 0.0f;
#pragma unroll
        for (int j = 0; j < WORDS; ++j) {
            const uint4 raw = *(const uint4*)(vector + (i * WORDS + j) * 8);
            const half2* h = (const half2*)&raw;
#pragma unroll
            for (int k = 0; k < 4; ++k) {
                const float2 f = __half22float2(h[k]);
                part += f.x * (float)((int)(b.w[j] >> (8 * k) & 15) - 8);
                part += f.y * (float)((int)(b.w[j] >> (8 * k + 4) & 15) - 8);
            }
        }
        acc += part * scale;
    }
    for (int o = 16; o; o >>= 1) acc += __shfl_down_sync(0xffffffff, acc, o);
    if (threadIdx.x == 0) y[row] = acc;
}
