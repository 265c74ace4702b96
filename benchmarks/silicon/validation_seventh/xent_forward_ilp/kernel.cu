// Loss of a row: log of the sum of exponentials less the target's logit.
struct alignas(VEC * 4) Pack { float v[VEC]; };
constexpr int THREADS = COLS > 4096 ? 512 : 128, PACKS = COLS / VEC, WARPS = THREADS / 32;

__device__ void merge(float& m, float& s, float m2, float s2)
{
    const float n = fmaxf(m, m2);
    s = s * __expf(m - n) + s2 * __expf(m2 - n);
    m = n;
}

extern "C" __global__ void __launch_bounds__(THREADS)
xent_forward_ilp(const Pack* __restrict__ logits, const int* __restrict__ targets, float* __restrict__ loss)
{
    __shared__ float ms[WARPS], ss[WARPS];
    const Pack* row = logits + (size_t)blockIdx.x * PACKS;
    float m = -1.0e30f, s = 0.0f;
#if ONE_PASS
#pragma unroll UNROLL
    for (int i = threadIdx.x; i < PACKS; i += THREADS) {
        const Pack p = row[i];
        float n = m;
#pragma unroll
        for (int j = 0; j < VEC; ++j) n = fmaxf(n, p.v[j]);
        s *= __expf(m - n);
#pragma unroll
        for (int j = 0; j < VEC; ++j) s += __expf(p.v[j] - n);
        m = n;
    }
#else
#pragma unroll UNROLL
    for (int i = threadIdx.x; i < PACKS; i += THREADS) {
        const Pack p = row[i];
#pragma unroll
        for (int j = 0; j < VEC; ++j) m = fmaxf(m, p.v[j]);
    }
#pragma unroll UNROLL
    for (int i = threadIdx.x; i < PACKS; i += THREADS) {
        const Pack p = row[i];
#pragma unroll
        for (int j = 0; j < VEC; ++j) s += __expf(p.v[j] - m);
    }
#endif
#pragma unroll
    for (int d = 16; d; d >>= 1) merge(m, s, __shfl_xor_sync(~0u, m, d), __shfl_xor_sync(~0u, s, d));
    if (threadIdx.x % 32 == 0) {
        ms[threadIdx.x / 32] = m;
        ss[threadIdx.x / 32] = s;
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int w = 1; w < WARPS; ++w) merge(m, s, ms[w], ss[w]);
        const int t = targets[blockIdx.x];
        loss[blockIdx.x] = m + __logf(s) - row[t / VEC].v[t % VEC];
    }
}
