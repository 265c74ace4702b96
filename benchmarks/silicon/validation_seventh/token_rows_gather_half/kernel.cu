// Rows of a table of 50,000 by token; a thread copies the same part of EACH tokens' rows.
struct alignas(VEC * 2) Pack { unsigned short v[VEC]; };
constexpr int PACKS = DIM / VEC, TOKENS = 32768;

extern "C" __global__ void __launch_bounds__(128)
token_rows_gather_half(const int* __restrict__ tokens, const Pack* __restrict__ table, Pack* __restrict__ out)
{
    const int i = blockIdx.x * 128 + threadIdx.x, part = i % PACKS, first = i / PACKS;
    constexpr int STRIDE = TOKENS / EACH;
    Pack p[EACH];
#pragma unroll
    for (int e = 0; e < EACH; ++e) p[e] = table[(size_t)tokens[first + e * STRIDE] * PACKS + part];
#pragma unroll
    for (int e = 0; e < EACH; ++e) out[(size_t)(first + e * STRIDE) * PACKS + part] = p[e];
}
