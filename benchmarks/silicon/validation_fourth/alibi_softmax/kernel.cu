// Softmax of FP16 attention scores with ALiBi's linear bias, causal or over all keys, a warp a row in registers.
#include <cuda_fp16.h>

constexpr int PER_LANE = SEQ / 32, PACKS = PER_LANE / VEC;

struct alignas(2 * VEC) Pack { __half v[VEC]; };

extern "C" __global__ void alibi_softmax(const Pack* __restrict__ scores, Pack* __restrict__ out, float scale, int rows)
{
    const int row = blockIdx.x * blockDim.y + threadIdx.y, lane = threadIdx.x;
    if (row >= rows) return;
    const int query = row % SEQ, head = row / SEQ % 16;
    const float slope = exp2f(-0.5f * (head + 1));
    const size_t first = (size_t)row * (SEQ / VEC);
    float v[PER_LANE], top = -1e30f, sum = 0.0f;
#pragma unroll
    for (int p = 0; p < PACKS; ++p) {
        const int key0 = (p * 32 + lane) * VEC;
#if CAUSAL
        if (key0 > query) {
#pragma unroll
            for (int k = 0; k < VEC; ++k) v[p * VEC + k] = -1e30f;
            continue;
        }
#endif
        const Pack pack = scores[first + p * 32 + lane];
#pragma unroll
        for (int k = 0; k < VEC; ++k) {
            const int distance = key0 + k - query;
            float s = __half2float(pack.v[k]) * scale + slope * (CAUSAL ? distance : -abs(distance));
            if (CAUSAL && distance > 0) s = -1e30f;
            v[p * VEC + k] = s;
            top = fmaxf(top, s);
        }
    }
#pragma unroll
    for (int d = 16; d > 0; d >>= 1) top = fmaxf(top, __shfl_xor_sync(0xffffffff, top, d));
#pragma unroll
    for (int i = 0; i < PER_LANE; ++i) {
        v[i] = __expf(v[i] - top);
        sum += v[i];
    }
#pragma unroll
    for (int d = 16; d > 0; d >>= 1) sum += __shfl_xor_sync(0xffffffff, sum, d);
    const float inverse = 1.0f / sum;
#pragma unroll
    for (int p = 0; p < PACKS; ++p) {
        Pack pack;
#pragma unroll
        for (int k = 0; k < VEC; ++k) pack.v[k] = __float2half(v[p * VEC + k] * inverse);
        out[first + p * 32 + lane] = pack;
    }
}
