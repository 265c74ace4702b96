// 16,777,216 gradients, blocks stride over them.
#include <cuda_bf16.h>
struct alignas(VEC * 2) Pack { unsigned v[VEC / 2]; };
constexpr int PACKS = 16777216 / VEC;

extern "C" __global__ void __launch_bounds__(256)
grad_norm_partials_bf16(const Pack* __restrict__ g, float* __restrict__ sums, int* __restrict__ bad)
{
    __shared__ float s[8];
    __shared__ int b[8];
    float sum = 0.0f;
    int count = 0;
#pragma unroll UNROLL
    for (int i = blockIdx.x * 256 + threadIdx.x; i < PACKS; i += 256 * 132 * BLOCKS) {
        const Pack p = g[i];
#pragma unroll
        for (int j = 0; j < VEC / 2; ++j) {
            const float low = __uint_as_float(p.v[j] << 16), high = __uint_as_float(p.v[j] & 0xffff0000u);
            sum += low * low + high * high;
            count += ((p.v[j] & 0x7f80u) == 0x7f80u) + ((p.v[j] & 0x7f800000u) == 0x7f800000u);
        }
    }
#pragma unroll
    for (int d = 16; d; d >>= 1) {
        sum += __shfl_down_sync(~0u, sum, d);
        count += __shfl_down_sync(~0u, count, d);
    }
    if (threadIdx.x % 32 == 0) {
        s[threadIdx.x / 32] = sum;
        b[threadIdx.x / 32] = count;
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int w = 1; w < 8; ++w) {
            sum += s[w];
            count += b[w];
        }
        if (ATOMIC) {
            atomicAdd(sums, sum);
            if (count) atomicAdd(bad, count);
        } else {
            sums[blockIdx.x] = sum;
            bad[blockIdx.x] = count;
        }
    }
}
