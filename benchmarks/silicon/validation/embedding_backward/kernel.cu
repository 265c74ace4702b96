// Gradient of an embedding: every token's row of 512 floats is added to its row of the table.
// Atomic additions without a result; a small vocabulary makes rows meet.
extern "C" __global__ void embedding_backward(const int* __restrict__ ids, const float* __restrict__ dy,
                                              float* __restrict__ table) {
    for (int t = 0; t < TOKENS_BLOCK; ++t) {
        int token = blockIdx.x * TOKENS_BLOCK + t;
        float* row = table + (size_t)ids[token] * 512;
        for (int i = threadIdx.x; i < 512; i += BLOCK_SIZE) atomicAdd(row + i, dy[(size_t)token * 512 + i]);
    }
}
