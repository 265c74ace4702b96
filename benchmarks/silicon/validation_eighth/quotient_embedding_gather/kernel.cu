// 65,536 tokens below a million; a token's vector is the product of a row of each of two small tables.
struct alignas(VEC * 4) Pack { float v[VEC]; };
constexpr int PACKS = DIM / VEC;

extern "C" __global__ void __launch_bounds__(256)
quotient_embedding_gather(const int* __restrict__ tokens, const Pack* __restrict__ quotients,
                          const Pack* __restrict__ remainders, Pack* __restrict__ out)
{
    const unsigned i = blockIdx.x * 256 + threadIdx.x, part = i % PACKS, first = i / PACKS * EACH;
    Pack a[EACH], b[EACH];
#pragma unroll
    for (int e = 0; e < EACH; ++e) {
        const unsigned t = tokens[first + e];
        a[e] = quotients[t / SPLIT * PACKS + part];
        b[e] = remainders[t % SPLIT * PACKS + part];
    }
#pragma unroll
    for (int e = 0; e < EACH; ++e) {
#pragma unroll
        for (int j = 0; j < VEC; ++j) a[e].v[j] *= b[e].v[j];
        out[(size_t)(first + e) * PACKS + part] = a[e];
    }
}
