// Router of a mixture of experts: the lanes hold a token's logits; each round finds the largest by shuffles and
// takes it out. Of equal values the lower expert wins.
extern "C" __global__ void moe_gate(const float* __restrict__ logits, float* __restrict__ weights,
                                    int* __restrict__ chosen)
{
    constexpr int PER = EXPERTS / 32;
    const int token = blockIdx.x * WARPS + threadIdx.y, lane = threadIdx.x;
    float p[PER], top = -1e30f, sum = 0.0f, picked = 0.0f, mine = 0.0f;
    for (int i = 0; i < PER; ++i) {
        p[i] = logits[token * EXPERTS + i * 32 + lane];
        top = fmaxf(top, p[i]);
    }
    for (int m = 16; m; m /= 2) top = fmaxf(top, __shfl_xor_sync(~0u, top, m));
    for (int i = 0; i < PER; ++i) {
        p[i] = __expf(p[i] - top);
        sum += p[i];
    }
    for (int m = 16; m; m /= 2) sum += __shfl_xor_sync(~0u, sum, m);
    int expert = 0;
    for (int k = 0; k < TOPK; ++k) {
        float best = p[0];
        int at = lane;
#pragma unroll
        for (int i = 1; i < PER; ++i)
            if (p[i] > best) {
                best = p[i];
                at = i * 32 + lane;
            }
        for (int m = 16; m; m /= 2) {
            const float other = __shfl_xor_sync(~0u, best, m);
            const int other_at = __shfl_xor_sync(~0u, at, m);
            if (other > best || (other == best && other_at < at)) {
                best = other;
                at = other_at;
            }
        }
#pragma unroll
        for (int i = 0; i < PER; ++i)
            if (at == i * 32 + lane) p[i] = -1.0f;
        picked += best;
        if (lane == k) {
            mine = best;
            expert = at;
        }
    }
    if (lane < TOPK) {
        weights[token * TOPK + lane] = RENORMALISE ? mine / picked : mine / sum;
        chosen[token * TOPK + lane] = expert;
    }
}
