// Embedding of tokens: a row of 512 floats of a table, plus the row of the token's position.
// A block copies TOKENS_BLOCK tokens, VECTOR floats a thread.
struct alignas(4 * VECTOR) Pack { float v[VECTOR]; };

extern "C" __global__ void embedding_forward(const int* __restrict__ ids, const Pack* __restrict__ table,
                                             const Pack* __restrict__ positions, Pack* __restrict__ output) {
    constexpr int vectors = 512 / VECTOR;
    for (int i = threadIdx.x; i < TOKENS_BLOCK * vectors; i += BLOCK_SIZE) {
        int token = blockIdx.x * TOKENS_BLOCK + i / vectors, at = i % vectors;
        Pack a = table[(size_t)ids[token] * vectors + at], b = positions[token % 1024 * vectors + at];
#pragma unroll
        for (int k = 0; k < VECTOR; ++k) a.v[k] += b.v[k];
        output[(size_t)token * vectors + at] = a;
    }
}
