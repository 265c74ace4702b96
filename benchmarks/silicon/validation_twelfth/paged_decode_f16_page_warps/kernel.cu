// Attention of one token over pages of FP16 keys and values: warps go through pages in turn, 16 lanes a key, HEADS query heads share a key head.
#include <cuda_fp16.h>
constexpr int DIM = 128, CONTEXT = 1024, KV_HEADS = 8, GROUP = 4, PAGES = CONTEXT / PAGE, THREADS = 32 * WARPS;
struct alignas(16) Half8 { __half2 h[4]; };

extern "C" __global__ void __launch_bounds__(THREADS)
paged_decode_f16_page_warps(const Half8* __restrict__ q, const Half8* __restrict__ keys, const Half8* __restrict__ values,
                            const int* __restrict__ table, __half* __restrict__ out)
{
    __shared__ float parts[WARPS][HEADS][DIM + 2];
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, part = lane % 16, which = lane / 16;
    const int sequence = blockIdx.y, head0 = blockIdx.x * HEADS, kv = head0 / GROUP;
    float query[HEADS][8], acc[HEADS][8] = {}, top[HEADS], sum[HEADS] = {};
#pragma unroll
    for (int h = 0; h < HEADS; ++h) {
        const Half8 p = q[((size_t)sequence * KV_HEADS * GROUP + head0 + h) * (DIM / 8) + part];
#pragma unroll
        for (int j = 0; j < 4; ++j) {
            const float2 f = __half22float2(p.h[j]);
            query[h][2 * j] = f.x * 0.088388348f;
            query[h][2 * j + 1] = f.y * 0.088388348f;
        }
        top[h] = -1.0e30f;
    }
    for (int page = warp; page < PAGES; page += WARPS) {
        const size_t base = ((size_t)table[sequence * PAGES + page] * KV_HEADS + kv) * PAGE * (DIM / 8);
#pragma unroll 1
        for (int n = 0; n < PAGE; n += 2 * AHEAD) {
            Half8 k[AHEAD], v[AHEAD];
#pragma unroll
            for (int a = 0; a < AHEAD; ++a) {
                k[a] = keys[base + (n + 2 * a + which) * (DIM / 8) + part];
                v[a] = values[base + (n + 2 * a + which) * (DIM / 8) + part];
            }
#pragma unroll
            for (int a = 0; a < AHEAD; ++a)
#pragma unroll
                for (int h = 0; h < HEADS; ++h) {
                    float s = 0.0f;
#pragma unroll
                    for (int j = 0; j < 4; ++j) {
                        const float2 f = __half22float2(k[a].h[j]);
                        s += query[h][2 * j] * f.x + query[h][2 * j + 1] * f.y;
                    }
#pragma unroll
                    for (int d = 8; d; d >>= 1) s += __shfl_xor_sync(~0u, s, d);
                    const float now = fmaxf(top[h], s), shrink = __expf(top[h] - now), p = __expf(s - now);
                    top[h] = now;
                    sum[h] = sum[h] * shrink + p;
#pragma unroll
                    for (int j = 0; j < 4; ++j) {
                        const float2 f = __half22float2(v[a].h[j]);
                        acc[h][2 * j] = acc[h][2 * j] * shrink + p * f.x;
                        acc[h][2 * j + 1] = acc[h][2 * j + 1] * shrink + p * f.y;
                    }
                }
        }
    }
#pragma unroll
    for (int h = 0; h < HEADS; ++h) {
        const float other = __shfl_xor_sync(~0u, top[h], 16), now = fmaxf(top[h], other), shrink = __expf(top[h] - now);
        sum[h] *= shrink;
        sum[h] += __shfl_xor_sync(~0u, sum[h], 16);
#pragma unroll
        for (int j = 0; j < 8; ++j) {
            acc[h][j] *= shrink;
            acc[h][j] += __shfl_xor_sync(~0u, acc[h][j], 16);
            if (which == 0) parts[warp][h][part * 8 + j] = acc[h][j];
        }
        if (lane == 0) {
            parts[warp][h][DIM] = now;
            parts[warp][h][DIM + 1] = sum[h];
        }
    }
    __syncthreads();
    for (int i = threadIdx.x; i < HEADS * DIM; i += THREADS) {
        const int h = i / DIM;
        float most = -1.0e30f, total = 0.0f, result = 0.0f;
#pragma unroll
        for (int w = 0; w < WARPS; ++w) most = fmaxf(most, parts[w][h][DIM]);
#pragma unroll
        for (int w = 0; w < WARPS; ++w) {
            const float by = __expf(parts[w][h][DIM] - most);
            total += by * parts[w][h][DIM + 1];
            result += by * parts[w][h][i % DIM];
        }
        out[((size_t)sequence * KV_HEADS * GROUP + head0) * DIM + i] = __float2half(result / total);
    }
}
