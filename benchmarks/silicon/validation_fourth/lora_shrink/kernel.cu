// First half of many low-rank adapters at once: each token's row of x by the A of its own adapter, FP16. The row is
// staged in shared memory, a warp makes one number of the rank at a time; the depth may be split over blocks.
#include <cuda_fp16.h>

constexpr int K = 4096, PART = K / SPLITS;

struct alignas(16) Half8 { __half2 h[4]; };

extern "C" __global__ void __launch_bounds__(WARPS * 32)
lora_shrink(const Half8* __restrict__ x, const Half8* __restrict__ a, const int* __restrict__ adapter,
            float* __restrict__ out)
{
    __shared__ Half8 row[PART / 8];
    const int token = blockIdx.x, lane = threadIdx.x % 32, k0 = blockIdx.y * (PART / 8);
    for (int i = threadIdx.x; i < PART / 8; i += WARPS * 32) row[i] = x[(size_t)token * (K / 8) + k0 + i];
    __syncthreads();
    const Half8* matrix = a + (size_t)adapter[token] * RANK * (K / 8) + k0;
    for (int r = threadIdx.x / 32; r < RANK; r += WARPS) {
        float sum = 0.0f;
#pragma unroll
        for (int i = lane; i < PART / 8; i += 32) {
            const Half8 u = row[i], w = matrix[(size_t)r * (K / 8) + i];
#pragma unroll
            for (int h = 0; h < 4; ++h) {
                const float2 f = __half22float2(u.h[h]), g = __half22float2(w.h[h]);
                sum += f.x * g.x + f.y * g.y;
            }
        }
#pragma unroll
        for (int d = 16; d > 0; d >>= 1) sum += __shfl_xor_sync(0xffffffff, sum, d);
        if (lane == 0) {
            if (SPLITS > 1)
                atomicAdd(out + token * RANK + r, sum);
            else
                out[token * RANK + r] = sum;
        }
    }
}
