// Y = W X / K for a 2:4 sparse W of 2,048 x 2,048 and 32 tokens; 16 positions a word, PAIRS pairs of tokens a thread.
#include <cuda_fp16.h>

constexpr int K = 2048, COLUMNS = 16 / PAIRS, THREADS = ROWS_BLOCK * COLUMNS;

struct alignas(PAIRS * 4) Pack { __half2 v[PAIRS]; };

extern "C" __global__ void __launch_bounds__(THREADS)
sparse24_half2(const __half2* __restrict__ values, const unsigned* __restrict__ places, const Pack* __restrict__ x,
               Pack* __restrict__ y)
{
    __shared__ Pack tile[KT][COLUMNS];
    const int t = threadIdx.x, column = t % COLUMNS, row = blockIdx.x * ROWS_BLOCK + t / COLUMNS;
    float2 sum[PAIRS] = {};
    for (int k0 = 0; k0 < K; k0 += KT) {
        __syncthreads();
#pragma unroll
        for (int i = t; i < KT * COLUMNS; i += THREADS) tile[i / COLUMNS][i % COLUMNS] = x[k0 * COLUMNS + i];
        __syncthreads();
#pragma unroll 1
        for (int w = 0; w < KT / 32; ++w) {
            unsigned bits = places[row * (K / 32) + k0 / 32 + w];
#pragma unroll
            for (int g = 0; g < 8; ++g) {
                const __half2 v = values[row * (K / 4) + k0 / 4 + w * 8 + g];
                const Pack a = tile[w * 32 + g * 4 + (bits & 3)][column], b = tile[w * 32 + g * 4 + (bits >> 2 & 3)][column];
                bits >>= 4;
#pragma unroll
                for (int p = 0; p < PAIRS; ++p) {
                    const __half2 s = __hfma2(__low2half2(v), a.v[p], __hmul2(__high2half2(v), b.v[p]));
                    sum[p].x += __low2float(s);
                    sum[p].y += __high2float(s);
                }
            }
        }
    }
    Pack o;
#pragma unroll
    for (int p = 0; p < PAIRS; ++p) o.v[p] = __floats2half2_rn(sum[p].x / K, sum[p].y / K);
    y[row * COLUMNS + column] = o;
}
