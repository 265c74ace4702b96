// RMS norm of each head's vector, then rotary embedding of pairs half a head apart, LANES lanes a vector.
#include <cuda_fp16.h>

constexpr int HALF = HEAD / 2, PER = HALF / LANES, HEADS = 32;

struct alignas(PER * 2) Part { __half v[PER]; };

extern "C" __global__ void __launch_bounds__(128)
qk_norm_rope(const __half* __restrict__ x, const __half* __restrict__ weight, const float2* __restrict__ angles,
             __half* __restrict__ y)
{
    const int thread = blockIdx.x * 128 + threadIdx.x, vector = thread / LANES, lane = thread % LANES;
    const int position = vector / HEADS % 1024, at = vector * HEAD + lane * PER;
    const Part low = *(const Part*)(x + at), high = *(const Part*)(x + at + HALF);
    float a[PER], b[PER], sum = 0.0f;
#pragma unroll
    for (int i = 0; i < PER; ++i) {
        a[i] = __half2float(low.v[i]);
        b[i] = __half2float(high.v[i]);
        sum += a[i] * a[i] + b[i] * b[i];
    }
#pragma unroll
    for (int d = LANES / 2; d > 0; d >>= 1) sum += __shfl_xor_sync(0xffffffff, sum, d);
    const float scale = rsqrtf(sum / HEAD + 1e-6f);
    const Part wl = *(const Part*)(weight + lane * PER), wh = *(const Part*)(weight + lane * PER + HALF);
    Part ol, oh;
#pragma unroll
    for (int i = 0; i < PER; ++i) {
        const float u = a[i] * scale * __half2float(wl.v[i]), v = b[i] * scale * __half2float(wh.v[i]);
        float c, s;
        if (TABLE) {
            const float2 cs = angles[position * HALF + lane * PER + i];
            c = cs.x;
            s = cs.y;
        } else {
            const float frequency = exp2f((lane * PER + i) * (-13.28771238f / HALF));
            __sincosf(position * frequency, &s, &c);
        }
        ol.v[i] = __float2half(u * c - v * s);
        oh.v[i] = __float2half(u * s + v * c);
    }
    *(Part*)(y + at) = ol;
    *(Part*)(y + at + HALF) = oh;
}
