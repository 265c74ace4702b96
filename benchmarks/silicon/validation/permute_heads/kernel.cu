// Permutes (batch, sequence, head, dim) to (batch, head, sequence, dim); a thread finds each output's source.
// VECTOR floats an access, ITEMS accesses a thread; the divisors are arguments.
struct alignas(4 * VECTOR) Pack { float v[VECTOR]; };

extern "C" __global__ void permute_heads(const Pack* __restrict__ input, Pack* __restrict__ output, int sequence,
                                         int heads) {
    constexpr int dims = HEAD_DIM / VECTOR;
#pragma unroll
    for (int k = 0; k < ITEMS; ++k) {
        int i = (blockIdx.x * ITEMS + k) * BLOCK_SIZE + threadIdx.x;
        int d = i % dims, s = i / dims % sequence, h = i / dims / sequence % heads, b = i / dims / sequence / heads;
        output[i] = input[((b * sequence + s) * heads + h) * dims + d];
    }
}
