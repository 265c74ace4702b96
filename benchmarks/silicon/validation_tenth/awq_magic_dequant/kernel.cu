// 4,096 x 4,096 weights; nibbles of a word are columns 0, 2, 4, 6, 1, 3, 5, 7.
#include <cuda_fp16.h>
struct alignas(WORDS * 4) Pack { unsigned w[WORDS]; };

extern "C" __global__ void __launch_bounds__(128)
awq_magic_dequant(const Pack* __restrict__ q, const Pack* __restrict__ zero, const uint4* __restrict__ scale,
                  uint4* __restrict__ y)
{
    const int at = blockIdx.x * 128 + threadIdx.x, row = blockIdx.y * ROWS, group = row / 128;
    const Pack z = zero[group * (512 / WORDS) + at];
    Pack p[ROWS];
#pragma unroll
    for (int r = 0; r < ROWS; ++r) p[r] = q[(row + r) * (512 / WORDS) + at];
#pragma unroll
    for (int i = 0; i < WORDS; ++i) {
        const uint4 s4 = scale[group * 512 + at * WORDS + i];
        const unsigned s[4] = {s4.x, s4.y, s4.z, s4.w};
#pragma unroll
        for (int r = 0; r < ROWS; ++r) {
            unsigned w[4];
#pragma unroll
            for (int j = 0; j < 4; ++j) {
                const __half2 by = *reinterpret_cast<const __half2*>(&s[j]);
                __half2 h;
                if (MAGIC) {
                    const unsigned a = (p[r].w[i] >> 4 * j & 0x000f000fu) | 0x64006400u, b = (z.w[i] >> 4 * j & 0x000f000fu) | 0x64006400u;
                    h = __hmul2(__hsub2(*reinterpret_cast<const __half2*>(&a), *reinterpret_cast<const __half2*>(&b)), by);
                } else {
                    const int a = (int)(p[r].w[i] >> 4 * j & 15) - (int)(z.w[i] >> 4 * j & 15);
                    const int b = (int)(p[r].w[i] >> (4 * j + 16) & 15) - (int)(z.w[i] >> (4 * j + 16) & 15);
                    h = __floats2half2_rn(a * __low2float(by), b * __high2float(by));
                }
                w[j] = *reinterpret_cast<const unsigned*>(&h);
            }
            y[(row + r) * 512 + at * WORDS + i] = make_uint4(w[0], w[1], w[2], w[3]);
        }
    }
}
