// A few tokens by a wide bf16 weight matrix: a warp makes COLUMNS_EACH outputs of all TOKENS, eight numbers an access.
#include <cuda_bf16.h>

struct alignas(16) Eight { __nv_bfloat162 v[4]; };

extern "C" __global__ void skinny_gemm_bf16(const __nv_bfloat16* __restrict__ x, const __nv_bfloat16* __restrict__ w,
                                            __nv_bfloat16* __restrict__ y, int depth, int columns)
{
    const int lane = threadIdx.x, n0 = (blockIdx.x * blockDim.y + threadIdx.y) * COLUMNS_EACH;
    float acc[TOKENS][COLUMNS_EACH] = {};
    for (int k = lane * 8; k < depth; k += 256) {
        Eight b[COLUMNS_EACH];
#pragma unroll
        for (int j = 0; j < COLUMNS_EACH; ++j) b[j] = *reinterpret_cast<const Eight*>(w + (size_t)(n0 + j) * depth + k);
#pragma unroll
        for (int i = 0; i < TOKENS; ++i) {
            const Eight a = *reinterpret_cast<const Eight*>(x + (size_t)i * depth + k);
#pragma unroll
            for (int e = 0; e < 4; ++e) {
                const float2 fa = __bfloat1622float2(a.v[e]);
#pragma unroll
                for (int j = 0; j < COLUMNS_EACH; ++j) {
                    const float2 fb = __bfloat1622float2(b[j].v[e]);
                    acc[i][j] = fmaf(fa.x, fb.x, acc[i][j]);
                    acc[i][j] = fmaf(fa.y, fb.y, acc[i][j]);
                }
            }
        }
    }
#pragma unroll
    for (int i = 0; i < TOKENS; ++i)
#pragma unroll
        for (int j = 0; j < COLUMNS_EACH; ++j) {
            for (int m = 16; m > 0; m >>= 1) acc[i][j] += __shfl_xor_sync(0xffffffff, acc[i][j], m);
            if (lane == 0) y[(size_t)i * columns + n0 + j] = __float2bfloat16(acc[i][j]);
        }
}
