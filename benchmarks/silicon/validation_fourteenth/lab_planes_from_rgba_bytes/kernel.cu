// sRGB to XYZ to Lab with a D65 white; the table is what the powers give for each byte.
#include <cuda_fp16.h>
constexpr int PIXELS = 8388608;
struct alignas(VEC * 4) Pack { unsigned u[VEC]; };
struct alignas(VEC * 2) Halves { __half h[VEC]; };

__device__ __forceinline__ float light(float c)
{
    const float b = (c + 0.055f) * (1.0f / 1.055f), p = FAST ? __powf(b, 2.4f) : powf(b, 2.4f);
    return c > 0.04045f ? p : c * (1.0f / 12.92f);
}
__device__ __forceinline__ float curve(float t)
{
    const float r = FAST ? __powf(t, 1.0f / 3.0f) : cbrtf(t);
    return t > 0.008856f ? r : 7.787f * t + 16.0f / 116.0f;
}

extern "C" __global__ void __launch_bounds__(THREADS)
lab_planes_from_rgba_bytes(const Pack* __restrict__ rgba, const float* __restrict__ linear, Halves* __restrict__ lab)
{
    __shared__ float held[TABLE ? 256 : 1];
    if (TABLE) {
        for (int i = threadIdx.x; i < 256; i += THREADS) held[i] = linear[i];
        __syncthreads();
    }
    const int id = blockIdx.x * THREADS + threadIdx.x;
    const Pack p = rgba[id];
    Halves o[3];
#pragma unroll
    for (int j = 0; j < VEC; ++j) {
        float c[3];
#pragma unroll
        for (int k = 0; k < 3; ++k) {
            const int byte = p.u[j] >> (8 * k) & 255;
            c[k] = TABLE ? held[TABLE ? byte : 0] : light(byte * (1.0f / 255.0f));
        }
        const float x = curve(0.433953f * c[0] + 0.376219f * c[1] + 0.189828f * c[2]);
        const float y = curve(0.212671f * c[0] + 0.715160f * c[1] + 0.072169f * c[2]);
        const float z = curve(0.017758f * c[0] + 0.109477f * c[1] + 0.872766f * c[2]);
        o[0].h[j] = __float2half(116.0f * y - 16.0f);
        o[1].h[j] = __float2half(500.0f * (x - y));
        o[2].h[j] = __float2half(200.0f * (y - z));
    }
#pragma unroll
    for (int k = 0; k < 3; ++k) lab[k * (PIXELS / VEC) + id] = o[k];
}
