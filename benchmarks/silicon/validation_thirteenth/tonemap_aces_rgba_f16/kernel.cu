// Filmic tone curve and gamma of FP16 pixels, four bytes a pixel.
#include <cuda_fp16.h>
struct alignas(VEC * 8) Pixels { __half2 h[VEC * 2]; };
struct alignas(VEC * 4) Bytes { unsigned w[VEC]; };

__device__ __forceinline__ unsigned toned(float x)
{
    const float up = x * (2.51f * x + 0.03f), down = x * (2.43f * x + 0.59f) + 0.14f;
    const float v = __saturatef(FAST ? __fdividef(up, down) : up / down);
    return (unsigned)((FAST ? __powf(v, 0.4545f) : powf(v, 0.4545f)) * 255.0f + 0.5f);
}

extern "C" __global__ void __launch_bounds__(THREADS)
tonemap_aces_rgba_f16(const Pixels* __restrict__ pixels, const float* __restrict__ exposure, unsigned char* __restrict__ out)
{
    const int first = blockIdx.x * THREADS * EACH + threadIdx.x;
    const float gain = 4.0f * exposure[0];
    Pixels p[EACH];
#pragma unroll
    for (int i = 0; i < EACH; ++i) p[i] = pixels[first + i * THREADS];
#pragma unroll
    for (int i = 0; i < EACH; ++i) {
        Bytes b;
#pragma unroll
        for (int j = 0; j < VEC; ++j) {
            const float2 rg = __half22float2(p[i].h[2 * j]), ba = __half22float2(p[i].h[2 * j + 1]);
            b.w[j] = toned(rg.x * gain) | toned(rg.y * gain) << 8 | toned(ba.x * gain) << 16 | (unsigned)(__saturatef(ba.y) * 255.0f + 0.5f) << 24;
        }
        reinterpret_cast<Bytes*>(out)[first + i * THREADS] = b;
    }
}
