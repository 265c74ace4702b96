// E2M1 codes, eight in a word; the scale of 32 numbers is a power of two.
#include <cuda_fp16.h>

#if WIDE
struct alignas(16) Out { float v[4]; };
#else
struct alignas(16) Out { __half2 v[4]; };
#endif

__device__ float decode(unsigned code)
{
    const unsigned e = code >> 1 & 3, m = code & 1;
    const float size = e ? __uint_as_float((e + 126) << 23 | m << 22) : 0.5f * m;
    return code & 8 ? -size : size;
}

extern "C" __global__ void __launch_bounds__(128)
mxfp4_dequant(const unsigned* __restrict__ codes, const unsigned char* __restrict__ scales, Out* __restrict__ out)
{
#if TABLE
    __shared__ float values[16];
    if (threadIdx.x < 16) values[threadIdx.x] = decode(threadIdx.x);
    __syncthreads();
#endif
    int at = blockIdx.x * 128 * EACH + threadIdx.x;
#pragma unroll
    for (int i = 0; i < EACH; ++i, at += 128) {
        const unsigned word = codes[at];
        const float scale = __uint_as_float((unsigned)max((int)scales[at / 4], 1) << 23);
        float x[8];
#pragma unroll
        for (int k = 0; k < 8; ++k) {
#if TABLE
            x[k] = values[word >> 4 * k & 15] * scale;
#else
            x[k] = decode(word >> 4 * k & 15) * scale;
#endif
        }
#if WIDE
        Out low, high;
#pragma unroll
        for (int k = 0; k < 4; ++k) {
            low.v[k] = x[k];
            high.v[k] = x[k + 4];
        }
        out[2 * at] = low;
        out[2 * at + 1] = high;
#else
        Out o;
#pragma unroll
        for (int k = 0; k < 4; ++k) o.v[k] = __floats2half2_rn(x[2 * k], x[2 * k + 1]);
        out[at] = o;
#endif
    }
}
