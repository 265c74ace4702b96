// Product of a matrix of four-bit weights with a scale and zero for each 128 columns and an FP16 vector; nibbles made halves by a magic number or converted.
#include <cuda_fp16.h>
constexpr int N = 16384, K = 4096, WORDS_ROW = K / 8;
struct alignas(WORDS * 4) Words { unsigned w[WORDS]; };

extern "C" __global__ void __launch_bounds__(THREADS)
gemv_int4_zero_group_words(const Words* __restrict__ weight, const __half2* __restrict__ scale, const uint4* __restrict__ x, __half* __restrict__ y)
{
    const int lane = threadIdx.x % 32, row0 = (blockIdx.x * (THREADS / 32) + threadIdx.x / 32) * ROWS;
    float sum[ROWS] = {};
#pragma unroll 2
    for (int k = lane; k < WORDS_ROW / WORDS; k += 32) {
        uint4 v[WORDS];
#pragma unroll
        for (int i = 0; i < WORDS; ++i) v[i] = x[k * WORDS + i];
#pragma unroll
        for (int r = 0; r < ROWS; ++r) {
            const Words p = weight[(size_t)(row0 + r) * (WORDS_ROW / WORDS) + k];
            const __half2 s = scale[(row0 + r) * (K / 128) + k * WORDS / 16];
            const float2 f = __half22float2(s);
#pragma unroll
            for (int i = 0; i < WORDS; ++i) {
                const unsigned parts[4] = {v[i].x, v[i].y, v[i].z, v[i].w};
                if (MAGIC) {
                    __half2 part = __float2half2_rn(0.0f);
                    const __half2 zero = __hadd2(__float2half2_rn(1024.0f), __half2half2(__high2half(s)));
#pragma unroll
                    for (int j = 0; j < 4; ++j) {
                        const unsigned bits = (p.w[i] >> 4 * j & 0x000f000fu) | 0x64006400u;
                        part = __hfma2(__hsub2(*reinterpret_cast<const __half2*>(&bits), zero), *reinterpret_cast<const __half2*>(&parts[j]), part);
                    }
                    const float2 both = __half22float2(part);
                    sum[r] += f.x * (both.x + both.y);
                } else {
                    float part = 0.0f;
#pragma unroll
                    for (int j = 0; j < 4; ++j) {
                        const float2 g = __half22float2(*reinterpret_cast<const __half2*>(&parts[j]));
                        part += ((float)(p.w[i] >> 4 * j & 15) - f.y) * g.x + ((float)(p.w[i] >> (4 * j + 16) & 15) - f.y) * g.y;
                    }
                    sum[r] += f.x * part;
                }
            }
        }
    }
#pragma unroll
    for (int r = 0; r < ROWS; ++r) {
#pragma unroll
        for (int d = 16; d; d >>= 1) sum[r] += __shfl_xor_sync(~0u, sum[r], d);
        if (lane == 0) y[row0 + r] = __float2half(sum[r]);
    }
}
