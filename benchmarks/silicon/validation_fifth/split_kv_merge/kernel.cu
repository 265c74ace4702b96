// Merges SPLITS partial attention results of 128 numbers into FP16; weights by each thread or once a row.
#include <cuda_fp16.h>

constexpr int LANES = 128 / VEC, ROWS = 256 / LANES;

struct alignas(VEC * 4) Pack { float v[VEC]; };
struct alignas(VEC * 2) Out { __half v[VEC]; };

extern "C" __global__ void __launch_bounds__(256)
split_kv_merge(const Pack* __restrict__ partial, const float* __restrict__ lse, Out* __restrict__ out)
{
    const int local = threadIdx.x / LANES, lane = threadIdx.x % LANES, row = blockIdx.x * ROWS + local;
#if WEIGHTS_SHARED
    __shared__ float weight[ROWS][SPLITS];
    if (lane < SPLITS) {
        const unsigned mask = __activemask();
        const float own = lse[row * SPLITS + lane];
        float top = own, sum;
#pragma unroll
        for (int d = SPLITS / 2; d > 0; d >>= 1) top = fmaxf(top, __shfl_xor_sync(mask, top, d));
        const float e = __expf(own - top);
        sum = e;
#pragma unroll
        for (int d = SPLITS / 2; d > 0; d >>= 1) sum += __shfl_xor_sync(mask, sum, d);
        weight[local][lane] = e / sum;
    }
    __syncthreads();
    const float* w = weight[local];
#else
    float w[SPLITS], top = -1e30f, total = 0.0f;
#pragma unroll
    for (int s = 0; s < SPLITS; ++s) {
        w[s] = lse[row * SPLITS + s];
        top = fmaxf(top, w[s]);
    }
#pragma unroll
    for (int s = 0; s < SPLITS; ++s) {
        w[s] = __expf(w[s] - top);
        total += w[s];
    }
    const float inverse = 1.0f / total;
#pragma unroll
    for (int s = 0; s < SPLITS; ++s) w[s] *= inverse;
#endif
    float sum[VEC] = {};
#pragma unroll
    for (int s = 0; s < SPLITS; ++s) {
        const Pack p = partial[(row * SPLITS + s) * LANES + lane];
#pragma unroll
        for (int k = 0; k < VEC; ++k) sum[k] += w[s] * p.v[k];
    }
    Out o;
#pragma unroll
    for (int k = 0; k < VEC; ++k) o.v[k] = __float2half(sum[k]);
    out[row * LANES + lane] = o;
}
