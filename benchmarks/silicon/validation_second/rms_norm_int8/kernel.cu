// RMS norm and dynamic quantisation in one kernel: FP16 in, int8 out, one scale per token.
// CACHED keeps the row in registers between the two passes; otherwise it is read again.
#include <cuda_fp16.h>

__device__ float2 block_sum_and_max(float2 v)
{
    __shared__ float2 lane_zero[THREADS / 32];
    for (int d = 16; d >= 1; d /= 2) {
        v.x += __shfl_down_sync(~0u, v.x, d);
        v.y = fmaxf(v.y, __shfl_down_sync(~0u, v.y, d));
    }
    if (threadIdx.x % 32 == 0) lane_zero[threadIdx.x / 32] = v;
    __syncthreads();
    float2 r = lane_zero[0];
    for (int i = 1; i < THREADS / 32; i++) {
        r.x += lane_zero[i].x;
        r.y = fmaxf(r.y, lane_zero[i].y);
    }
    return r;
}

__device__ void weighted(const uint4& xv, const uint4& wv, float (&raw)[8], float (&out)[8])
{
    const half2 *a = (const half2*)&xv, *b = (const half2*)&wv;
#pragma unroll
    for (int i = 0; i < 4; i++) {
        float2 f = __half22float2(a[i]), g = __half22float2(b[i]);
        raw[2 * i] = f.x;
        raw[2 * i + 1] = f.y;
        out[2 * i] = f.x * g.x;
        out[2 * i + 1] = f.y * g.y;
    }
}

extern "C" __global__ void rms_norm_int8(const uint4* __restrict__ x, const uint4* __restrict__ w,
                                         uint2* __restrict__ q, float* __restrict__ scales)
{
    constexpr int per_row = HIDDEN / 8, per_thread = per_row / THREADS;
    const size_t base = (size_t)blockIdx.x * per_row;
    uint4 keep[CACHED ? per_thread : 1];
    float raw[8], value[8];
    float2 stats = make_float2(0.0f, 0.0f);
#pragma unroll
    for (int it = 0; it < per_thread; it++) {
        const int c = it * THREADS + threadIdx.x;
        const uint4 xv = x[base + c];
        if (CACHED) keep[it] = xv;
        weighted(xv, w[c], raw, value);
#pragma unroll
        for (int i = 0; i < 8; i++) {
            stats.x += raw[i] * raw[i];
            stats.y = fmaxf(stats.y, fabsf(value[i]));
        }
    }
    stats = block_sum_and_max(stats);
    const float inv_rms = rsqrtf(stats.x / HIDDEN + 1e-6f);
    const float step = stats.y * inv_rms / 127.0f, to_int = inv_rms / step;
    if (threadIdx.x == 0) scales[blockIdx.x] = step;
#pragma unroll
    for (int it = 0; it < per_thread; it++) {
        const int c = it * THREADS + threadIdx.x;
        weighted(CACHED ? keep[it] : x[base + c], w[c], raw, value);
        unsigned packed[2];
#pragma unroll
        for (int h = 0; h < 2; h++) {
            packed[h] = 0;
#pragma unroll
            for (int i = 0; i < 4; i++)
                packed[h] |= ((unsigned)__float2int_rn(value[4 * h + i] * to_int) & 0xffu) << (8 * i);
        }
        q[base + c] = make_uint2(packed[0], packed[1]);
    }
}
