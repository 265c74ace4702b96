// Attention of a graph network: softmax over a vertex's incoming edges of leaky sums of two scores, a warp a vertex,
// lanes over heads and edges. RECOMPUTE computes the scores three times, otherwise they wait in the output.
__device__ __forceinline__ int edges_of(unsigned v) { return v * MEAN + ((v * 0x85EBCA77u) >> 14) % MEAN; }

extern "C" __global__ void gat_edge_softmax(const int* __restrict__ sources, const float* __restrict__ left,
                                            const float* __restrict__ right, float* __restrict__ out, int vertices)
{
    const int v = blockIdx.x * blockDim.y + threadIdx.y, lane = threadIdx.x;
    if (v >= vertices) return;
    const int h = lane % HEADS, begin = edges_of(v) + lane / HEADS, end = edges_of(v + 1);
    constexpr int STEP = 32 / HEADS;
    const float own = right[v * HEADS + h];
    auto score = [&](int e) {
        const float s = left[sources[e] * HEADS + h] + own - 1.0f;
        return s > 0.0f ? s : 0.2f * s;
    };
    float top = -1e30f;
    for (int e = begin; e < end; e += STEP) {
        const float s = score(e);
        top = fmaxf(top, s);
        if (!RECOMPUTE) out[(size_t)e * HEADS + h] = s;
    }
#pragma unroll
    for (int m = HEADS; m < 32; m <<= 1) top = fmaxf(top, __shfl_xor_sync(0xffffffff, top, m));
    float sum = 0.0f;
    for (int e = begin; e < end; e += STEP) {
        const float p = __expf((RECOMPUTE ? score(e) : out[(size_t)e * HEADS + h]) - top);
        sum += p;
        if (!RECOMPUTE) out[(size_t)e * HEADS + h] = p;
    }
#pragma unroll
    for (int m = HEADS; m < 32; m <<= 1) sum += __shfl_xor_sync(0xffffffff, sum, m);
    const float scale = 1.0f / fmaxf(sum, 1e-20f);
    for (int e = begin; e < end; e += STEP)
        out[(size_t)e * HEADS + h] = scale * (RECOMPUTE ? __expf(score(e) - top) : out[(size_t)e * HEADS + h]);
}
