// 64 bytes of weights, then an FP16 factor; bits 2 l of byte 32 h + m are weight 128 h + 32 l + m.
#include <cuda_fp16.h>
constexpr int GROUP = 32 / SHORTS, BLOCKS_AT_ONCE = THREADS / GROUP, WORDS = BLOCKS_AT_ONCE * 33;

extern "C" __global__ void __launch_bounds__(THREADS)
dequant_tq2_blocks_f16(const unsigned short* __restrict__ packed, __half2* __restrict__ out)
{
    alignas(4) __shared__ unsigned short shared[STAGED ? WORDS : 1];
    const int t = threadIdx.x, own = t / GROUP, part = t % GROUP * SHORTS;
#pragma unroll 1
    for (int turn = 0; turn < TURNS; ++turn) {
        const int first = (blockIdx.x * TURNS + turn) * BLOCKS_AT_ONCE;
        const unsigned short* from = packed + (size_t)first * 33;
        if (STAGED) {
            __syncthreads();
            for (int i = t; i < WORDS / 2; i += THREADS) reinterpret_cast<unsigned*>(shared)[i] = reinterpret_cast<const unsigned*>(from)[i];
            __syncthreads();
            from = shared;
        }
        const unsigned short* block = from + own * 33;
        const __half2 d = __half2half2(__ushort_as_half(block[32]));
#pragma unroll
        for (int s = 0; s < SHORTS; ++s) {
            const int at = part + s, h = at / 16, m = at % 16;
            const unsigned v = block[at];
#pragma unroll
            for (int l = 0; l < 4; ++l) {
                const int a = (int)(v >> (2 * l) & 3) - 1, b = (int)(v >> (8 + 2 * l) & 3) - 1;
                out[(size_t)(first + own) * 128 + h * 64 + l * 16 + m] = __hmul2(d, __halves2half2(__int2half_rn(a), __int2half_rn(b)));
            }
        }
    }
}
