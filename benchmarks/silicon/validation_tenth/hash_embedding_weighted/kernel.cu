// Hash embeddings: rows and weights are chosen by multiplicative hashes of the token.
constexpr int LANES = DIM / VEC, TOKENS = 256 / LANES;
struct alignas(VEC * 4) Pack { float v[VEC]; };

extern "C" __global__ void __launch_bounds__(256)
hash_embedding_weighted(const int* __restrict__ token, const Pack* __restrict__ table, const float* __restrict__ weight,
                        Pack* __restrict__ out)
{
    const int lane = threadIdx.x % LANES, first = blockIdx.x * TOKENS * EACH + threadIdx.x / LANES;
    Pack sum[EACH];
    unsigned t[EACH];
#pragma unroll
    for (int e = 0; e < EACH; ++e) {
        t[e] = token[first + e * TOKENS];
#pragma unroll
        for (int j = 0; j < VEC; ++j) sum[e].v[j] = 0.0f;
    }
#pragma unroll
    for (int h = 0; h < HASHES; ++h)
#pragma unroll
        for (int e = 0; e < EACH; ++e) {
            const unsigned a = (t[e] + 1u) * (0x9e3779b1u + 2u * 0x3c6ef372u * h), row = a >> 16;
            const float w = weight[(((t[e] ^ a) * 0x85ebca6bu) >> 16) * 4 + h];
            const Pack p = table[row * LANES + lane];
#pragma unroll
            for (int j = 0; j < VEC; ++j) sum[e].v[j] += w * p.v[j];
        }
#pragma unroll
    for (int e = 0; e < EACH; ++e) out[(size_t)(first + e * TOKENS) * LANES + lane] = sum[e];
}
