// Sum of rows of a table of tokens and one of types, scaled; LANES lanes a token of 1,024 numbers, TOKENS tokens at once.
#include <cuda_fp16.h>
constexpr int DIM = 1024, V = DIM / 8, THREADS = 128;
struct alignas(16) Half8 { __half2 h[4]; };

extern "C" __global__ void __launch_bounds__(THREADS)
embed_two_tables_f16_rows(const int* __restrict__ token, const int* __restrict__ kind, const Half8* __restrict__ words,
                          const Half8* __restrict__ kinds, Half8* __restrict__ out)
{
    const int id = blockIdx.x * THREADS + threadIdx.x, lane = id % LANES, first = id / LANES * TOKENS;
    int t[TOKENS], k[TOKENS];
#pragma unroll
    for (int n = 0; n < TOKENS; ++n) {
        t[n] = token[first + n];
        k[n] = kind[first + n];
    }
#pragma unroll 2
    for (int i = lane; i < V; i += LANES) {
        Half8 a[TOKENS], b[TOKENS];
#pragma unroll
        for (int n = 0; n < TOKENS; ++n) {
            a[n] = words[(size_t)t[n] * V + i];
            b[n] = kinds[k[n] * V + i];
        }
#pragma unroll
        for (int n = 0; n < TOKENS; ++n) {
#pragma unroll
            for (int j = 0; j < 4; ++j) a[n].h[j] = __hfma2(a[n].h[j], __float2half2_rn(32.0f), b[n].h[j]);
            out[(size_t)(first + n) * V + i] = a[n];
        }
    }
}
