// Partial results of 16 heads over a chunk of 1,024 latent vectors, dot products in FP16 pairs or in FP32.
#include <cuda_fp16.h>

constexpr int HEADS = 16, THREADS = LATENT, TOKENS = 1024 / SPLITS, DOTS = HEADS * TILE / THREADS, PITCH = LATENT / 2 + 1;

extern "C" __global__ void __launch_bounds__(THREADS)
latent_decode_half(const __half2* __restrict__ q, const __half2* __restrict__ cache, float* __restrict__ partial,
                   float* __restrict__ lse)
{
    __shared__ __half2 sq[HEADS][PITCH], tokens[TILE][PITCH];
    __shared__ float p[HEADS][TILE + 1], top[HEADS], sum[HEADS], factor[HEADS];
    const int t = threadIdx.x, batch = blockIdx.y, split = blockIdx.x;
    for (int i = t; i < HEADS * LATENT / 2; i += THREADS)
        sq[i / (LATENT / 2)][i % (LATENT / 2)] = q[batch * HEADS * LATENT / 2 + i];
    if (t < HEADS) {
        top[t] = -1e30f;
        sum[t] = 0.0f;
    }
    float result[HEADS] = {};
    for (int first = 0; first < TOKENS; first += TILE) {
        const __half2* from = cache + (size_t)(batch * 1024 + split * TOKENS + first) * (LATENT / 2);
#pragma unroll
        for (int i = t; i < TILE * LATENT / 2; i += THREADS) tokens[i / (LATENT / 2)][i % (LATENT / 2)] = from[i];
        __syncthreads();
#pragma unroll
        for (int d = 0; d < DOTS; ++d) {
            const int dot = d * THREADS + t, head = dot / TILE, token = dot % TILE;
            float s = 0.0f;
#if PACKED
#pragma unroll 1
            for (int i = 0; i < LATENT / 2; i += 16) {
                __half2 part = __float2half2_rn(0.0f);
#pragma unroll
                for (int j = 0; j < 16; ++j) part = __hfma2(sq[head][i + j], tokens[token][i + j], part);
                s += __low2float(part) + __high2float(part);
            }
#else
#pragma unroll 8
            for (int i = 0; i < LATENT / 2; ++i) {
                const float2 x = __half22float2(sq[head][i]), y = __half22float2(tokens[token][i]);
                s += x.x * y.x + x.y * y.y;
            }
#endif
            p[head][token] = s * 0.0625f;
        }
        __syncthreads();
        if (t < HEADS) {
            float high = top[t];
            for (int j = 0; j < TILE; ++j) high = fmaxf(high, p[t][j]);
            const float f = __expf(top[t] - high);
            float total = sum[t] * f;
            for (int j = 0; j < TILE; ++j) {
                const float e = __expf(p[t][j] - high);
                p[t][j] = e;
                total += e;
            }
            top[t] = high;
            sum[t] = total;
            factor[t] = f;
        }
        __syncthreads();
#pragma unroll
        for (int h = 0; h < HEADS; ++h) result[h] *= factor[h];
#pragma unroll 4
        for (int j = 0; j < TILE; ++j) {
            const float x = __half2float(((const __half*)tokens[j])[t]);
#pragma unroll
            for (int h = 0; h < HEADS; ++h) result[h] += p[h][j] * x;
        }
        __syncthreads();
    }
#pragma unroll
    for (int h = 0; h < HEADS; ++h)
        partial[((batch * HEADS + h) * SPLITS + split) * LATENT + t] = result[h] / sum[h];
    if (t < HEADS) lse[(batch * HEADS + t) * SPLITS + split] = top[t] + __logf(sum[t]);
}
