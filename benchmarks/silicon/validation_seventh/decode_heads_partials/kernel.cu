#include <cuda_fp16.h>
// One query a head against 2,048 FP16 keys and values of 128; 64 heads, SPLITS blocks a head, a key a warp at a time.
constexpr int SEQ = 2048, DIM = 128, RANGE = SEQ / SPLITS;
struct alignas(8) Four { half2 a, b; };

__device__ float4 widen(Four f)
{
    const float2 x = __half22float2(f.a), y = __half22float2(f.b);
    return make_float4(x.x, x.y, y.x, y.y);
}

extern "C" __global__ void __launch_bounds__(WARPS * 32)
decode_heads_partials(const float4* __restrict__ q, const Four* __restrict__ k, const Four* __restrict__ v,
                      float* __restrict__ out, float2* __restrict__ state)
{
    __shared__ float sums[WARPS][DIM];
    __shared__ float2 states[WARPS];
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, head = blockIdx.y;
    const float4 mine = q[head * 32 + lane];
    const size_t base = ((size_t)head * SEQ + blockIdx.x * RANGE) * 32 + lane;
    float4 sum = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
    float m = -1.0e30f, l = 0.0f;
#pragma unroll 1
    for (int j = warp * KEYS; j < RANGE; j += WARPS * KEYS) {
        float s[KEYS];
        float4 f[KEYS];
#pragma unroll
        for (int e = 0; e < KEYS; ++e) {
            const float4 key = widen(k[base + (j + e) * 32]);
            f[e] = widen(v[base + (j + e) * 32]);
            s[e] = key.x * mine.x + key.y * mine.y + key.z * mine.z + key.w * mine.w;
        }
#pragma unroll
        for (int d = 16; d; d >>= 1)
#pragma unroll
            for (int e = 0; e < KEYS; ++e) s[e] += __shfl_xor_sync(~0u, s[e], d);
        float n = m;
#pragma unroll
        for (int e = 0; e < KEYS; ++e) n = fmaxf(n, s[e]);
        const float c = __expf(m - n);
        m = n;
        l *= c;
        sum = make_float4(sum.x * c, sum.y * c, sum.z * c, sum.w * c);
#pragma unroll
        for (int e = 0; e < KEYS; ++e) {
            const float p = __expf(s[e] - m);
            l += p;
            sum.x += p * f[e].x;
            sum.y += p * f[e].y;
            sum.z += p * f[e].z;
            sum.w += p * f[e].w;
        }
    }
    *reinterpret_cast<float4*>(&sums[warp][lane * 4]) = sum;
    if (lane == 0) states[warp] = make_float2(m, l);
    __syncthreads();
    float top = -1.0e30f, total = 0.0f;
#pragma unroll
    for (int w = 0; w < WARPS; ++w) top = fmaxf(top, states[w].x);
#pragma unroll
    for (int w = 0; w < WARPS; ++w) total += states[w].y * __expf(states[w].x - top);
    for (int d = threadIdx.x; d < DIM; d += WARPS * 32) {
        float s = 0.0f;
#pragma unroll
        for (int w = 0; w < WARPS; ++w) s += sums[w][d] * __expf(states[w].x - top);
        out[(head * SPLITS + blockIdx.x) * DIM + d] = s;
    }
    if (threadIdx.x == 0) state[head * SPLITS + blockIdx.x] = make_float2(top, total);
}
