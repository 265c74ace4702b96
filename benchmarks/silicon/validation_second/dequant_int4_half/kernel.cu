// (q - zero) * scale for eight four-bit numbers a word, written as one access of 16 bytes. WORDS words a thread.
#include <cuda_fp16.h>
struct alignas(4 * WORDS) Bits { unsigned w[WORDS]; };

extern "C" __global__ void dequant_int4_half(const Bits* __restrict__ packed, const half* __restrict__ scales,
                                             const unsigned char* __restrict__ zeros, uint4* __restrict__ expanded)
{
    const int i = blockIdx.x * THREADS + threadIdx.x;
    const Bits bits = packed[i];
    const int g = i * (WORDS * 8) / GROUP;
    const half2 scale = __half2half2(scales[g]);
    const half2 offset = __half2half2(__int2half_rn(1024 + zeros[g]));
#pragma unroll
    for (int j = 0; j < WORDS; ++j) {
        uint4 out;
        unsigned* lanes = &out.x;
#pragma unroll
        for (int k = 0; k < 4; ++k) {
            // 1024 + q as FP16 by setting bits of the mantissa
            const unsigned pair = bits.w[j] >> (8 * k);
            const unsigned magic = 0x64006400u | (pair & 15) | (pair & 0xf0) << 12;
            half2 h = *reinterpret_cast<const half2*>(&magic);
            h = __hmul2(__hsub2(h, offset), scale);
            lanes[k] = *reinterpret_cast<unsigned*>(&h);
        }
        expanded[i * WORDS + j] = out;
    }
}
