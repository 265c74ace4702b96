// 16,384 rows of gradients added to the rows of their tokens.
struct alignas(VEC * 4) Pack { float v[VEC]; };
constexpr int PACKS = DIM / VEC, TOKENS = 16384;

extern "C" __global__ void __launch_bounds__(256)
embedding_grad_red_f32(const int* __restrict__ tokens, const Pack* __restrict__ dy, float* __restrict__ grad)
{
    const int i = blockIdx.x * 256 + threadIdx.x, part = i % PACKS, first = i / PACKS * EACH;
    Pack p[EACH];
    int t[EACH];
#pragma unroll
    for (int e = 0; e < EACH; ++e) {
        t[e] = tokens[first + e];
        p[e] = dy[(size_t)(first + e) * PACKS + part];
    }
#pragma unroll
    for (int e = 0; e < EACH; ++e)
#pragma unroll
        for (int j = 0; j < VEC; ++j) atomicAdd(grad + (size_t)t[e] * DIM + part * VEC + j, p[e].v[j]);
}
