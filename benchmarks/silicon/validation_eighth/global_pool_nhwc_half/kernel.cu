// 64 images of 784 pixels of 512 channels; maxima of numbers that are not negative, as integers.
#include <cuda_fp16.h>
struct alignas(VEC * 2) Pack { __half2 v[VEC / 2]; };
constexpr int PIXELS = 784, C = 512, SHARE = PIXELS / PARTS;

extern "C" __global__ void __launch_bounds__(32 * ROWS)
global_pool_nhwc_half(const Pack* __restrict__ x, float* __restrict__ mean, int* __restrict__ top)
{
    __shared__ float sums[ROWS][32 * VEC], tops[ROWS][32 * VEC];
    const Pack* from = x + (size_t)(blockIdx.y * PIXELS + blockIdx.z * SHARE) * (C / VEC) + blockIdx.x * 32 + threadIdx.x;
    float s[VEC] = {};
    __half2 m[VEC / 2];
#pragma unroll
    for (int j = 0; j < VEC / 2; ++j) m[j] = __float2half2_rn(0.0f);
#pragma unroll UNROLL
    for (int p = threadIdx.y; p < SHARE; p += ROWS) {
        const Pack a = from[p * (C / VEC)];
#pragma unroll
        for (int j = 0; j < VEC / 2; ++j) {
            const float2 f = __half22float2(a.v[j]);
            s[2 * j] += f.x;
            s[2 * j + 1] += f.y;
            m[j] = __hmax2(m[j], a.v[j]);
        }
    }
#pragma unroll
    for (int j = 0; j < VEC; ++j) {
        const float2 f = __half22float2(m[j / 2]);
        sums[threadIdx.y][j * 32 + threadIdx.x] = s[j];
        tops[threadIdx.y][j * 32 + threadIdx.x] = j % 2 ? f.y : f.x;
    }
    __syncthreads();
    for (int i = threadIdx.y * 32 + threadIdx.x; i < 32 * VEC; i += 32 * ROWS) {
        float a = 0.0f, b = 0.0f;
#pragma unroll
        for (int r = 0; r < ROWS; ++r) {
            a += sums[r][i];
            b = fmaxf(b, tops[r][i]);
        }
        const int to = blockIdx.y * C + (blockIdx.x * 32 + i % 32) * VEC + i / 32;
        if (PARTS == 1) {
            mean[to] = a * (1.0f / PIXELS);
            top[to] = __float_as_int(b);
        } else {
            atomicAdd(mean + to, a * (1.0f / PIXELS));
            atomicMax(top + to, __float_as_int(b));
        }
    }
}
