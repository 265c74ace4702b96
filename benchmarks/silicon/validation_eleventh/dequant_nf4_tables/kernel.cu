// Eight weights a word by a table of 16 levels: in constant memory (0), shared memory (1), lanes of a warp (2) or by
// comparisons (3).
#include <cuda_fp16.h>
__constant__ float levels[16] = {-1.0f, -0.6961928f, -0.52507305f, -0.39491749f, -0.28444138f, -0.18477343f, -0.091050036f, 0.0f,
                                 0.0795803f, 0.1609302f, 0.2461123f, 0.33791524f, 0.44070983f, 0.562617f, 0.72295684f, 1.0f};

__device__ __forceinline__ float by_tree(unsigned n)
{
    return n & 8 ? (n & 4 ? (n & 2 ? (n & 1 ? 1.0f : 0.72295684f) : (n & 1 ? 0.562617f : 0.44070983f))
                          : (n & 2 ? (n & 1 ? 0.33791524f : 0.2461123f) : (n & 1 ? 0.1609302f : 0.0795803f)))
                 : (n & 4 ? (n & 2 ? (n & 1 ? 0.0f : -0.091050036f) : (n & 1 ? -0.18477343f : -0.28444138f))
                          : (n & 2 ? (n & 1 ? -0.39491749f : -0.52507305f) : (n & 1 ? -0.6961928f : -1.0f)));
}

extern "C" __global__ void __launch_bounds__(THREADS)
dequant_nf4_tables(const unsigned* __restrict__ packed, const float* __restrict__ absmax, uint4* __restrict__ w)
{
    __shared__ float table[16];
    if (MODE == 1) {
        if (threadIdx.x < 16) table[threadIdx.x] = levels[threadIdx.x];
        __syncthreads();
    }
    const float own = MODE == 2 ? levels[threadIdx.x % 16] : 0.0f;
    unsigned p[WORDS];
    const int first = blockIdx.x * THREADS * WORDS + threadIdx.x;
#pragma unroll
    for (int i = 0; i < WORDS; ++i) p[i] = packed[first + i * THREADS];
#pragma unroll
    for (int i = 0; i < WORDS; ++i) {
        const float scale = absmax[(first + i * THREADS) / 8];
        float f[8];
#pragma unroll
        for (int j = 0; j < 8; ++j) {
            const unsigned n = p[i] >> 4 * j & 15;
            f[j] = scale * (MODE == 0 ? levels[n] : MODE == 1 ? table[n] : MODE == 2 ? __shfl_sync(~0u, own, n) : by_tree(n));
        }
        uint4 r;
        __half2* h = reinterpret_cast<__half2*>(&r);
#pragma unroll
        for (int j = 0; j < 4; ++j) h[j] = __floats2half2_rn(f[2 * j], f[2 * j + 1]);
        w[first + i * THREADS] = r;
    }
}
