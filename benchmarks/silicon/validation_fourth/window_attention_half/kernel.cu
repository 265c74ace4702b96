// Attention with a sliding window of keys, FP16: LANES lanes a query with its part of the head in registers, keys and
// values in tiles of shared memory, eight keys between two rescalings.
#include <cuda_fp16.h>

constexpr int HEAD = 64, SEQ = 2048, PER = HEAD / LANES, QUERIES = THREADS / LANES;

struct alignas(16) Half8 { __half2 h[4]; };

extern "C" __global__ void __launch_bounds__(THREADS)
window_attention_half(const Half8* __restrict__ q, const Half8* __restrict__ k, const Half8* __restrict__ v,
                      Half8* __restrict__ out)
{
    __shared__ Half8 sk[KEYS * HEAD / 8], sv[KEYS * HEAD / 8];
    const int part = threadIdx.x % LANES, query0 = blockIdx.x * QUERIES, query = query0 + threadIdx.x / LANES;
    const size_t base = (size_t)blockIdx.y * SEQ * (HEAD / 8);
    float qf[PER], acc[PER] = {}, m = -1e30f, l = 0.0f;
#pragma unroll
    for (int i = 0; i < PER / 8; ++i) {
        const Half8 p = q[base + query * (HEAD / 8) + part * (PER / 8) + i];
#pragma unroll
        for (int j = 0; j < 4; ++j) {
            const float2 f = __half22float2(p.h[j]);
            qf[i * 8 + 2 * j] = f.x * 0.125f;
            qf[i * 8 + 2 * j + 1] = f.y * 0.125f;
        }
    }
    const int begin = max(query0 - WINDOW + 1, 0) / KEYS * KEYS;
    for (int tile = begin; tile < query0 + QUERIES; tile += KEYS) {
        __syncthreads();
#pragma unroll
        for (int i = threadIdx.x; i < KEYS * HEAD / 8; i += THREADS) {
            sk[i] = k[base + tile * (HEAD / 8) + i];
            sv[i] = v[base + tile * (HEAD / 8) + i];
        }
        __syncthreads();
        for (int c = 0; c < KEYS; c += 8) {
            float s[8], top = m;
#pragma unroll
            for (int j = 0; j < 8; ++j) {
                s[j] = 0.0f;
#pragma unroll
                for (int i = 0; i < PER / 8; ++i) {
                    const Half8 p = sk[(c + j) * (HEAD / 8) + part * (PER / 8) + i];
#pragma unroll
                    for (int h = 0; h < 4; ++h) {
                        const float2 f = __half22float2(p.h[h]);
                        s[j] += qf[i * 8 + 2 * h] * f.x + qf[i * 8 + 2 * h + 1] * f.y;
                    }
                }
#pragma unroll
                for (int d = LANES / 2; d > 0; d >>= 1) s[j] += __shfl_xor_sync(0xffffffff, s[j], d);
                const int distance = query - (tile + c + j);
                if (distance < 0 || distance >= WINDOW) s[j] = -1e30f;
                top = fmaxf(top, s[j]);
            }
            const float keep = __expf(m - top);
            m = top;
            l *= keep;
#pragma unroll
            for (int i = 0; i < PER; ++i) acc[i] *= keep;
#pragma unroll
            for (int j = 0; j < 8; ++j) {
                const float p = s[j] > -1e29f ? __expf(s[j] - m) : 0.0f;
                l += p;
#pragma unroll
                for (int i = 0; i < PER / 8; ++i) {
                    const Half8 x = sv[(c + j) * (HEAD / 8) + part * (PER / 8) + i];
#pragma unroll
                    for (int h = 0; h < 4; ++h) {
                        const float2 f = __half22float2(x.h[h]);
                        acc[i * 8 + 2 * h] += p * f.x;
                        acc[i * 8 + 2 * h + 1] += p * f.y;
                    }
                }
            }
        }
    }
    const float scale = 1.0f / l;
#pragma unroll
    for (int i = 0; i < PER / 8; ++i) {
        Half8 p;
#pragma unroll
        for (int j = 0; j < 4; ++j)
            p.h[j] = __floats2half2_rn(acc[i * 8 + 2 * j] * scale, acc[i * 8 + 2 * j + 1] * scale);
        out[base + query * (HEAD / 8) + part * (PER / 8) + i] = p;
    }
}
