// FP32 to E4M3 by bit operations (nearest even, saturating), and the largest magnitude, by one atomic a block.
struct alignas(VEC * 4) Floats { float v[VEC]; };
struct alignas(VEC) Bytes { unsigned char v[VEC]; };

__device__ unsigned e4m3(float f)
{
    const unsigned u = __float_as_uint(f), sign = u >> 24 & 0x80;
    const float a = fminf(fabsf(f), 448.0f);
    const unsigned tiny = __float_as_uint(a + 16384.0f) - 0x46800000u;
    const unsigned b = __float_as_uint(a);
    const unsigned normal = (b + 0x7FFFFu + (b >> 20 & 1) >> 20) - (120u << 3);
    return sign | (a < 0.015625f ? tiny : normal);
}

extern "C" __global__ void __launch_bounds__(256)
fp8_e4m3_cast_amax(const Floats* __restrict__ x, Bytes* __restrict__ q, int* __restrict__ amax, float scale)
{
    const int first = blockIdx.x * 256 * EACH + threadIdx.x;
    float top = 0.0f;
#pragma unroll
    for (int e = 0; e < EACH; ++e) {
        const Floats f = x[first + e * 256];
        Bytes b;
#pragma unroll
        for (int j = 0; j < VEC; ++j) {
            b.v[j] = (unsigned char)e4m3(f.v[j] * scale);
            top = fmaxf(top, fabsf(f.v[j]));
        }
        q[first + e * 256] = b;
    }
#if AMAX
    __shared__ float tops[8];
#pragma unroll
    for (int d = 16; d; d >>= 1) top = fmaxf(top, __shfl_xor_sync(~0u, top, d));
    if (threadIdx.x % 32 == 0) tops[threadIdx.x / 32] = top;
    __syncthreads();
    if (threadIdx.x == 0) {
#pragma unroll
        for (int w = 1; w < 8; ++w) top = fmaxf(top, tops[w]);
        atomicMax(amax, __float_as_int(top));
    }
#endif
}
