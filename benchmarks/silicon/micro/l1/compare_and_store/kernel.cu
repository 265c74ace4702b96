// Atomics on shared memory whose lanes meet on a word or in a bank, each round on other words than the one before. Additions of
// floats (KIND 0) and doubles (1) are loops that try to compare and store; exchanges (2, of 64 bits 4) and compare-and-swaps (3
// and 5) are done at once.
#if KIND == 1
typedef double Word;
#elif KIND == 0
typedef float Word;
#elif KIND < 4
typedef int Word;
#else
typedef unsigned long long Word;
#endif
constexpr int EACH = 32 * APART, ALL = EACH * (OWN ? WARPS : 1);

extern "C" __global__ void compare_and_store(Word* __restrict__ out, int given, int rounds) {
    __shared__ Word words[2 * ALL];
    for (int i = threadIdx.x; i < 2 * ALL; i += 32 * WARPS) words[i] = 0;
    __syncthreads();
    Word value = given, *mine = words + (OWN ? threadIdx.x / 32 * EACH : 0) + threadIdx.x % 32 / TOGETHER * APART;
#pragma unroll 1
    for (int round = 0; round < rounds; ++round) {
        Word* at = mine + (round & 1) * ALL;
#if KIND < 2
        atomicAdd(at, value);
#elif KIND % 2 == 0
        value += atomicExch(at, value);
#else
        value += atomicCAS(at, (Word)0, value);
#endif
    }
    __syncthreads();
    out[blockIdx.x * blockDim.x + threadIdx.x] = *mine + value;
}
