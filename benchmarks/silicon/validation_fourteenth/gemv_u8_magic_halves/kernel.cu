// A byte b in the low bits of 0x6400 is the half 1024 + b; 1152 less is the weight.
#include <cuda_fp16.h>
constexpr int K = 8192, THREADS = WARPS * 32;
struct alignas(VEC) Words { unsigned w[VEC / 4]; };

extern "C" __global__ void __launch_bounds__(THREADS)
gemv_u8_magic_halves(const Words* __restrict__ w, const float* __restrict__ scale, const __half* __restrict__ x, float* __restrict__ y)
{
    alignas(16) __shared__ __half xs[STAGED ? K : 8];
    const int lane = threadIdx.x % 32, row = blockIdx.x * WARPS + threadIdx.x / 32;
    if (STAGED) {
        for (int i = threadIdx.x; i < K / 8; i += THREADS) reinterpret_cast<uint4*>(xs)[i] = reinterpret_cast<const uint4*>(x)[i];
        __syncthreads();
    }
    const __half2* v = reinterpret_cast<const __half2*>(STAGED ? xs : x);
    const __half2 bias = __float2half2_rn(1152.0f);
    float sum = 0.0f;
#pragma unroll 4
    for (int i = lane; i < K / VEC; i += 32) {
        const Words p = w[(size_t)row * (K / VEC) + i];
#pragma unroll
        for (int j = 0; j < VEC / 4; ++j) {
            const __half2 x0 = v[(i * (VEC / 4) + j) * 2], x1 = v[(i * (VEC / 4) + j) * 2 + 1];
            if (MAGIC) {
                unsigned lo = __byte_perm(p.w[j], 0x64646464u, 0x4140), hi = __byte_perm(p.w[j], 0x64646464u, 0x4342);
                const __half2 a = __hsub2(*reinterpret_cast<__half2*>(&lo), bias), b = __hsub2(*reinterpret_cast<__half2*>(&hi), bias);
                const float2 f = __half22float2(a), g = __half22float2(b), fx = __half22float2(x0), gx = __half22float2(x1);
                sum += f.x * fx.x + f.y * fx.y + g.x * gx.x + g.y * gx.y;
            } else {
                const float2 fx = __half22float2(x0), gx = __half22float2(x1);
                sum += (float)((int)(p.w[j] & 255) - 128) * fx.x + (float)((int)(p.w[j] >> 8 & 255) - 128) * fx.y;
                sum += (float)((int)(p.w[j] >> 16 & 255) - 128) * gx.x + (float)((int)(p.w[j] >> 24) - 128) * gx.y;
            }
        }
    }
#pragma unroll
    for (int d = 16; d; d >>= 1) sum += __shfl_down_sync(~0u, sum, d);
    if (lane == 0) y[row] = sum * scale[row];
}
