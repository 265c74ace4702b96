// Weight i: four bits of `low` and two of `high`, less 32, times a scale for 16 weights and one for 256.
#include <cuda_fp16.h>

#if WIDE
typedef float Real;
#else
typedef __half Real;
#endif

struct alignas(sizeof(Real) * EACH > 16 ? 16 : sizeof(Real) * EACH) Out { Real v[EACH]; };

extern "C" __global__ void __launch_bounds__(THREADS)
sixbit_dequant(const unsigned char* __restrict__ low, const unsigned char* __restrict__ high,
               const signed char* __restrict__ scales, const __half* __restrict__ super_scales, Out* __restrict__ out)
{
    const int thread = blockIdx.x * THREADS + threadIdx.x, first = thread * EACH;
    unsigned l, h;
#if EACH == 2
    l = low[thread];
    h = high[thread / 2] >> thread % 2 * 4;
#elif EACH == 4
    l = ((const unsigned short*)low)[thread];
    h = high[thread];
#else
    l = ((const unsigned*)low)[thread];
    h = ((const unsigned short*)high)[thread];
#endif
    const float scale = __half2float(super_scales[first / 256]) * scales[first / 16];
    Out o;
#pragma unroll
    for (int k = 0; k < EACH; ++k) {
        const int q = (int)(l >> 4 * k & 15 | (h >> 2 * k & 3) << 4) - 32;
        o.v[k] = (Real)(scale * q);
    }
    out[thread] = o;
}
