// Softmax of scores * scale over the keys up to the query's own position; what lies behind is written as zero.
// One warp per row, the row in registers, VEC halves per access. After the fused kernel of Megatron.
#include <cuda_fp16.h>

template <int BYTES> struct WordOf;
template <> struct WordOf<4> { typedef unsigned int type; };
template <> struct WordOf<8> { typedef uint2 type; };
template <> struct WordOf<16> { typedef uint4 type; };
typedef WordOf<2 * VEC>::type word_t;

extern "C" __global__ void causal_softmax_half(const half* __restrict__ scores, half* __restrict__ probs, float scale)
{
    constexpr int ITERS = SEQ / (32 * VEC);
    const int row = blockIdx.x * blockDim.y + threadIdx.y;
    const int valid = row % SEQ + 1;
    const half* src = scores + (size_t)row * SEQ;
    half* dst = probs + (size_t)row * SEQ;

    float elements[ITERS][VEC];
    float max_value = -10000.0f;
#pragma unroll
    for (int it = 0; it < ITERS; ++it) {
        const int col = (it * 32 + threadIdx.x) * VEC;
        if (col < valid) {
            word_t w = *reinterpret_cast<const word_t*>(src + col);
            const half* h = reinterpret_cast<const half*>(&w);
#pragma unroll
            for (int e = 0; e < VEC; ++e)
                elements[it][e] = col + e < valid ? __half2float(h[e]) * scale : -10000.0f;
        } else {
#pragma unroll
            for (int e = 0; e < VEC; ++e) elements[it][e] = -10000.0f;
        }
#pragma unroll
        for (int e = 0; e < VEC; ++e) max_value = max_value > elements[it][e] ? max_value : elements[it][e];
    }
    for (int offset = 16; offset > 0; offset /= 2) {
        float other = __shfl_xor_sync(0xffffffff, max_value, offset);
        max_value = max_value < other ? other : max_value;
    }

    float sum = 0.0f;
#pragma unroll
    for (int it = 0; it < ITERS; ++it)
#pragma unroll
        for (int e = 0; e < VEC; ++e) {
            elements[it][e] = expf(elements[it][e] - max_value);
            sum += elements[it][e];
        }
    for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_xor_sync(0xffffffff, sum, offset);

#pragma unroll
    for (int it = 0; it < ITERS; ++it) {
        const int col = (it * 32 + threadIdx.x) * VEC;
        word_t w;
        half* h = reinterpret_cast<half*>(&w);
#pragma unroll
        for (int e = 0; e < VEC; ++e) h[e] = __float2half(elements[it][e] / sum);
        *reinterpret_cast<word_t*>(dst + col) = w;
    }
}
