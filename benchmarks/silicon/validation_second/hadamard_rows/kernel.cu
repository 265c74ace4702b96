// A row a block, ITEMS neighbouring elements a thread. The first stages stay in registers; then the partners are found
// by shuffles inside a warp and in shared memory beyond it, or in shared memory throughout.
#include <cuda_fp16.h>
struct alignas(2 * ITEMS) Pack { half v[ITEMS]; };

extern "C" __global__ void __launch_bounds__(ROW / ITEMS)
hadamard_rows(const Pack* __restrict__ input, Pack* __restrict__ output)
{
    constexpr int NT = ROW / ITEMS;
    __shared__ float stage[ITEMS][NT];
    const int t = threadIdx.x;
    const Pack p = input[blockIdx.x * NT + t];
    float x[ITEMS];
#pragma unroll
    for (int i = 0; i < ITEMS; ++i) x[i] = __half2float(p.v[i]);
#pragma unroll
    for (int h = 1; h < ITEMS; h *= 2)
#pragma unroll
        for (int i = 0; i < ITEMS; ++i)
            if (!(i & h)) {
                const float a = x[i], b = x[i | h];
                x[i] = a + b;
                x[i | h] = a - b;
            }
#pragma unroll
    for (int h = 1; h < NT; h *= 2) {
        if (BY_SHUFFLES && h < 32) {
#pragma unroll
            for (int i = 0; i < ITEMS; ++i) {
                const float other = __shfl_xor_sync(0xffffffffu, x[i], h);
                x[i] = t & h ? other - x[i] : x[i] + other;
            }
        } else {
            __syncthreads();
#pragma unroll
            for (int i = 0; i < ITEMS; ++i) stage[i][t] = x[i];
            __syncthreads();
#pragma unroll
            for (int i = 0; i < ITEMS; ++i) {
                const float other = stage[i][t ^ h];
                x[i] = t & h ? other - x[i] : x[i] + other;
            }
        }
    }
    Pack o;
#pragma unroll
    for (int i = 0; i < ITEMS; ++i) o.v[i] = __float2half(x[i] * 0.015625f);
    output[blockIdx.x * NT + t] = o;
}
