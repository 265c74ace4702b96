// Dropout with a counter-based generator (Philox 2x32) of ROUNDS rounds a pair of elements.
// Nothing is stored for the backward pass; VECTOR floats an access.
struct alignas(4 * VECTOR) Pack { float v[VECTOR]; };
__device__ uint2 random(unsigned counter, unsigned seed) {
    unsigned a = counter, b = 0x5bd1e995u;
#pragma unroll
    for (int r = 0; r < ROUNDS; ++r) {
        unsigned high = __umulhi(0xd256d193u, a), low = 0xd256d193u * a;
        a = high ^ seed ^ b;
        b = low;
        seed += 0x9e3779b9u;
    }
    return make_uint2(a, b);
}

extern "C" __global__ void dropout_hash(const Pack* __restrict__ input, Pack* __restrict__ output, unsigned seed) {
    int i = blockIdx.x * BLOCK_SIZE + threadIdx.x;
    Pack x = input[i];
#pragma unroll
    for (int k = 0; k < VECTOR; k += 2) {
        uint2 bits = random(i * VECTOR + k, seed);
        x.v[k] = bits.x > 429496730u ? x.v[k] * 1.1111112f : 0.0f;
        if (VECTOR > 1) x.v[(k + 1) % VECTOR] = bits.y > 429496730u ? x.v[(k + 1) % VECTOR] * 1.1111112f : 0.0f;
    }
    output[i] = x;
}
