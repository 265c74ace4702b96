// A masked number counts as -10000, as in Megatron. Byte masks hide numbers where the byte is below 32.
#include <cuda_bf16.h>

constexpr int ITEMS = COLS / 256;

struct alignas(16) Eight { __nv_bfloat16 v[8]; };
struct alignas(8) Bytes { unsigned char v[8]; };

extern "C" __global__ void __launch_bounds__(32 * WARPS)
masked_softmax_bf16x8(const Eight* __restrict__ scores, const unsigned char* __restrict__ mask,
                      Eight* __restrict__ probs, float scale)
{
    const int lane = threadIdx.x % 32, row = blockIdx.x * WARPS + threadIdx.x / 32;
    const size_t base = (size_t)row * (COLS / 8);
    float x[ITEMS][8];
    float top = -1e30f;
#pragma unroll
    for (int i = 0; i < ITEMS; ++i) {
        const size_t at = base + i * 32 + lane;
        const Eight e = scores[at];
#if MASK_BITS
        const unsigned bits = mask[at];
#else
        const Bytes bytes = reinterpret_cast<const Bytes*>(mask)[at];
#endif
#pragma unroll
        for (int k = 0; k < 8; ++k) {
#if MASK_BITS
            const bool hidden = bits >> k & 1;
#else
            const bool hidden = bytes.v[k] < 32;
#endif
            x[i][k] = hidden ? -10000.0f : __bfloat162float(e.v[k]) * scale;
            top = fmaxf(top, x[i][k]);
        }
    }
#pragma unroll
    for (int d = 16; d > 0; d >>= 1) top = fmaxf(top, __shfl_xor_sync(0xffffffff, top, d));
    float sum = 0.0f;
#pragma unroll
    for (int i = 0; i < ITEMS; ++i)
#pragma unroll
        for (int k = 0; k < 8; ++k) {
            x[i][k] = __expf(x[i][k] - top);
            sum += x[i][k];
        }
#pragma unroll
    for (int d = 16; d > 0; d >>= 1) sum += __shfl_xor_sync(0xffffffff, sum, d);
    const float inverse = 1.0f / sum;
#pragma unroll
    for (int i = 0; i < ITEMS; ++i) {
        Eight e;
#pragma unroll
        for (int k = 0; k < 8; ++k) e.v[k] = __float2bfloat16(x[i][k] * inverse);
        probs[base + i * 32 + lane] = e;
    }
}
