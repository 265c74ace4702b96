// Quantised embedding lookup: row = scale * q + offset.
#include <cuda_fp16.h>
constexpr int ROW = DIM / VEC, WORDS = VEC / 8, TOKENS = 16384;
struct alignas(WORDS * 4) Words { unsigned w[WORDS]; };

extern "C" __global__ void __launch_bounds__(THREADS)
embed_int4_rows_f16(const Words* __restrict__ table, const __half2* __restrict__ scales, const int* __restrict__ tokens, uint4* __restrict__ out)
{
    const int id = blockIdx.x * THREADS + threadIdx.x, c = id % ROW;
#pragma unroll
    for (int turn = 0; turn < TURNS; ++turn) {
        const int token = id / ROW + turn * (TOKENS / TURNS), row = tokens[token];
        const __half2 s = scales[row], scale = __low2half2(s), offset = __high2half2(s);
        const Words q = table[(size_t)row * ROW + c];
#pragma unroll
        for (int k = 0; k < WORDS; ++k) {
            __half2 h[4];
#pragma unroll
            for (int j = 0; j < 4; ++j) {
                const unsigned b = q.w[k] >> (8 * j);
                h[j] = __hfma2(__halves2half2(__int2half_rn(b & 15), __int2half_rn(b >> 4 & 15)), scale, offset);
            }
            out[((size_t)token * ROW + c) * WORDS + k] = *reinterpret_cast<uint4*>(h);
        }
    }
}
