// Decoding attention with grouped queries: the GROUP query heads of a key head share its FP16 keys and values. The keys
// are split over blocks; LANES lanes a key, a running softmax each, merged at the end into a partial result a split.
#include <cuda_fp16.h>

constexpr int HEAD = 128, SEQ = 2048, PER = HEAD / LANES, SUBS = 32 / LANES, PARTS = WARPS * SUBS;

struct alignas(2 * PER) Piece { __half2 h[PER / 2]; };

__device__ __forceinline__ void widen(const Piece& p, float (&f)[PER])
{
#pragma unroll
    for (int i = 0; i < PER / 2; ++i) {
        const float2 v = __half22float2(p.h[i]);
        f[2 * i] = v.x;
        f[2 * i + 1] = v.y;
    }
}

extern "C" __global__ void __launch_bounds__(WARPS * 32)
gqa_decode_half(const __half* __restrict__ q, const __half* __restrict__ keys, const __half* __restrict__ values,
                float* __restrict__ partial, float2* __restrict__ partial_ml, int keys_split)
{
    __shared__ float shared_m[PARTS][GROUP], shared_l[PARTS][GROUP], shared_acc[PARTS][HEAD];
    const int head = blockIdx.y, split = blockIdx.x, t = threadIdx.x, lane = t % LANES, part = t / LANES;
    float qf[GROUP][PER], acc[GROUP][PER] = {}, m[GROUP], l[GROUP];
#pragma unroll
    for (int g = 0; g < GROUP; ++g) {
        widen(*reinterpret_cast<const Piece*>(q + (head * GROUP + g) * HEAD + lane * PER), qf[g]);
#pragma unroll
        for (int i = 0; i < PER; ++i) qf[g][i] *= 0.08838835f;
        m[g] = -1e30f;
        l[g] = 0.0f;
    }
    const size_t base = (size_t)head * SEQ * HEAD + lane * PER;
    const int last = (split + 1) * keys_split;
    for (int key = split * keys_split + part; key < last; key += PARTS) {
        float k[PER], v[PER];
        widen(*reinterpret_cast<const Piece*>(keys + base + (size_t)key * HEAD), k);
        widen(*reinterpret_cast<const Piece*>(values + base + (size_t)key * HEAD), v);
#pragma unroll
        for (int g = 0; g < GROUP; ++g) {
            float s = 0.0f;
#pragma unroll
            for (int i = 0; i < PER; ++i) s += qf[g][i] * k[i];
#pragma unroll
            for (int d = LANES / 2; d > 0; d >>= 1) s += __shfl_xor_sync(0xffffffff, s, d);
            const float next = fmaxf(m[g], s), keep = __expf(m[g] - next), p = __expf(s - next);
            m[g] = next;
            l[g] = l[g] * keep + p;
#pragma unroll
            for (int i = 0; i < PER; ++i) acc[g][i] = acc[g][i] * keep + p * v[i];
        }
    }
    if (lane == 0)
#pragma unroll
        for (int g = 0; g < GROUP; ++g) {
            shared_m[part][g] = m[g];
            shared_l[part][g] = l[g];
        }
    __syncthreads();
#pragma unroll
    for (int g = 0; g < GROUP; ++g) {
        float top = -1e30f;
        for (int p = 0; p < PARTS; ++p) top = fmaxf(top, shared_m[p][g]);
        const float scale = __expf(m[g] - top);
#pragma unroll
        for (int i = 0; i < PER; ++i) shared_acc[part][lane * PER + i] = acc[g][i] * scale;
        __syncthreads();
        const size_t row = ((size_t)head * GROUP + g) * gridDim.x + split;
        if (t < HEAD) {
            float sum = 0.0f;
            for (int p = 0; p < PARTS; ++p) sum += shared_acc[p][t];
            partial[row * HEAD + t] = sum;
        }
        if (t == 0) {
            float sum = 0.0f;
            for (int p = 0; p < PARTS; ++p) sum += shared_l[p][g] * __expf(shared_m[p][g] - top);
            partial_ml[row] = make_float2(top, sum);
        }
        __syncthreads();
    }
}
