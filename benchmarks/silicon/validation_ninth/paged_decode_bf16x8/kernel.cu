// A block has a head (of 8) and a sequence (of 32); half a warp has a key at a time; pools are [page][head][slot][128].
#include <cuda_bf16.h>
constexpr int HALVES = 2 * WARPS;
struct alignas(16) Pack { __nv_bfloat162 v[4]; };

extern "C" __global__ void __launch_bounds__(32 * WARPS)
paged_decode_bf16x8(const float4* __restrict__ q, const int* __restrict__ pages, const Pack* __restrict__ k,
                    const Pack* __restrict__ v, float* __restrict__ out)
{
    __shared__ float tops[HALVES], sums[HALVES], parts[HALVES][128];
    const int team = threadIdx.y * 2 + threadIdx.x / 16, lane = threadIdx.x % 16, head = blockIdx.x, seq = blockIdx.y;
    const float4 q0 = q[(seq * 8 + head) * 32 + lane * 2], q1 = q[(seq * 8 + head) * 32 + lane * 2 + 1];
    const float w[8] = {q0.x, q0.y, q0.z, q0.w, q1.x, q1.y, q1.z, q1.w};
    float top = -1.0e30f, sum = 0.0f, acc[8] = {};
#pragma unroll 1
    for (int first = team * AHEAD; first < 2048; first += HALVES * AHEAD) {
        Pack a[AHEAD], b[AHEAD];
        float s[AHEAD];
#pragma unroll
        for (int e = 0; e < AHEAD; ++e) {
            const int key = first + e, p = pages[seq * (2048 / PAGE) + key / PAGE];
            const size_t at = ((size_t)(p * 8 + head) * PAGE + key % PAGE) * 16 + lane;
            a[e] = k[at];
            b[e] = v[at];
        }
        float now = top;
#pragma unroll
        for (int e = 0; e < AHEAD; ++e) {
            s[e] = 0.0f;
#pragma unroll
            for (int j = 0; j < 4; ++j) {
                const float2 t = __bfloat1622float2(a[e].v[j]);
                s[e] += t.x * w[2 * j] + t.y * w[2 * j + 1];
            }
#pragma unroll
            for (int d = 8; d; d >>= 1) s[e] += __shfl_xor_sync(~0u, s[e], d);
            s[e] *= 0.08838834764f;
            now = fmaxf(now, s[e]);
        }
        const float shrink = __expf(top - now);
        top = now;
        sum *= shrink;
#pragma unroll
        for (int j = 0; j < 8; ++j) acc[j] *= shrink;
#pragma unroll
        for (int e = 0; e < AHEAD; ++e) {
            const float x = __expf(s[e] - top);
            sum += x;
#pragma unroll
            for (int j = 0; j < 4; ++j) {
                const float2 t = __bfloat1622float2(b[e].v[j]);
                acc[2 * j] += x * t.x;
                acc[2 * j + 1] += x * t.y;
            }
        }
    }
    if (lane == 0) {
        tops[team] = top;
        sums[team] = sum;
    }
#pragma unroll
    for (int j = 0; j < 8; ++j) parts[team][lane * 8 + j] = acc[j];
    __syncthreads();
    const int c = threadIdx.y * 32 + threadIdx.x;
    if (c < 128) {
        float all = -1.0e30f, total = 0.0f, r = 0.0f;
#pragma unroll
        for (int h = 0; h < HALVES; ++h) all = fmaxf(all, tops[h]);
#pragma unroll
        for (int h = 0; h < HALVES; ++h) {
            const float x = __expf(tops[h] - all);
            total += x * sums[h];
            r += x * parts[h][c];
        }
        out[(seq * 8 + head) * 128 + c] = r / total;
    }
}
