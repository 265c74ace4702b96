// Weight i has bits 2 i and 2 i + 1 of the low plane and bit i of the high one.
#include <cuda_fp16.h>

extern "C" __global__ void __launch_bounds__(THREADS)
q3_planes_dequant(const unsigned* __restrict__ low, const unsigned* __restrict__ high, const __half* __restrict__ scale,
                  const float* __restrict__ level, uint4* __restrict__ y)
{
    __shared__ float levels[8];
    if (TABLE) {
        if (threadIdx.x < 8) levels[threadIdx.x] = level[threadIdx.x];
        __syncthreads();
    }
    const int id = blockIdx.x * THREADS + threadIdx.x;
    const float s = __half2float(scale[id * EACH / 32]);
    unsigned lo[EACH > 16 ? 2 : 1], hi;
    if (EACH == 8) {
        lo[0] = reinterpret_cast<const unsigned short*>(low)[id];
        hi = reinterpret_cast<const unsigned char*>(high)[id];
    } else if (EACH == 16) {
        lo[0] = low[id];
        hi = reinterpret_cast<const unsigned short*>(high)[id];
    } else {
        const uint2 p = reinterpret_cast<const uint2*>(low)[id];
        lo[0] = p.x;
        lo[EACH > 16 ? 1 : 0] = p.y;
        hi = high[id];
    }
#pragma unroll
    for (int i = 0; i < EACH / 8; ++i) {
        unsigned w[4];
#pragma unroll
        for (int j = 0; j < 4; ++j) {
            float f[2];
#pragma unroll
            for (int e = 0; e < 2; ++e) {
                const int k = i * 8 + j * 2 + e;
                const int q = (lo[k / 16] >> k % 16 * 2 & 3) | (hi >> k & 1) << 2;
                f[e] = s * (TABLE ? levels[q] : q - 3.5f);
            }
            const __half2 h = __floats2half2_rn(f[0], f[1]);
            w[j] = *reinterpret_cast<const unsigned*>(&h);
        }
        y[id * (EACH / 8) + i] = make_uint4(w[0], w[1], w[2], w[3]);
    }
}
