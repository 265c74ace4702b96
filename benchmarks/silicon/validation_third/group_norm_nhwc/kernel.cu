// Group norm over NHWC in FP16 with 32 groups, a block a group of an image: statistics first, then the same pairs
// again to normalise; with SiLU behind it or not.
#include <cuda_fp16.h>

constexpr int PAIRS = CHANNELS / 64, ALL = HW * PAIRS, WARPS = THREADS / 32;

extern "C" __global__ void __launch_bounds__(THREADS)
group_norm_nhwc(const half2* __restrict__ x, const float2* __restrict__ gamma, const float2* __restrict__ beta,
                half2* __restrict__ y)
{
    __shared__ float2 parts[32];
    const int group = blockIdx.x, lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    const size_t base = (size_t)blockIdx.y * HW * (CHANNELS / 2) + group * PAIRS;
    float sum = 0.0f, squares = 0.0f;
    for (int i = threadIdx.x; i < ALL; i += THREADS) {
        const float2 v = __half22float2(x[base + (size_t)(i / PAIRS) * (CHANNELS / 2) + i % PAIRS]);
        sum += v.x + v.y;
        squares += v.x * v.x + v.y * v.y;
    }
    for (int m = 16; m > 0; m >>= 1) {
        sum += __shfl_xor_sync(0xffffffff, sum, m);
        squares += __shfl_xor_sync(0xffffffff, squares, m);
    }
    if (lane == 0) parts[warp] = make_float2(sum, squares);
    __syncthreads();
    sum = squares = 0.0f;
    for (int w = 0; w < WARPS; ++w) {
        sum += parts[w].x;
        squares += parts[w].y;
    }
    const float mean = sum / (2 * ALL), scale = rsqrtf(squares / (2 * ALL) - mean * mean + 1e-5f);
    for (int i = threadIdx.x; i < ALL; i += THREADS) {
        const int c = i % PAIRS;
        const size_t at = base + (size_t)(i / PAIRS) * (CHANNELS / 2) + c;
        const float2 v = __half22float2(x[at]), g = gamma[group * PAIRS + c], b = beta[group * PAIRS + c];
        float2 r = make_float2((v.x - mean) * scale * g.x + b.x, (v.y - mean) * scale * g.y + b.y);
#if SILU
        r.x = r.x / (1.0f + __expf(-r.x));
        r.y = r.y / (1.0f + __expf(-r.y));
#endif
        y[at] = __float22half2_rn(r);
    }
}
