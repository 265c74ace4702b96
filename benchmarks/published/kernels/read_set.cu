// Blocks read a working set again and again. Each thread reads WORDS of them a pass, doubles, SINGLE floats, or VECTORs
// of four floats: block b reads the chunk b + pass * blocks, modulo the chunks, as gpu-l2-cache of RRZE gpu-benches does; with SAME, where
// `chunks` is 0, all blocks read the same, as gpu-cache does. VECTOR reads four floats at a time.
#ifdef VECTOR
typedef float4 Word;
#define ADD(sum, word) sum += word.x + word.y + word.z + word.w
#elif defined(SINGLE)
typedef float Word;
#define ADD(sum, word) sum += word
#else
typedef double Word;
#define ADD(sum, word) sum += word
#endif

extern "C" __global__ void read_set(const Word* __restrict__ data, float* __restrict__ sink, int chunks, int passes) {
    Word read[UNROLL];
    float sums[4] = {};
#pragma unroll 1
    for (int pass = 0; pass < passes; ++pass) {
#ifdef SAME
        const Word* chunk = data + pass * chunks + threadIdx.x;
#else
        int number = (blockIdx.x + pass * gridDim.x) % chunks;
        const Word* chunk = data + (size_t)number * (WORDS * THREADS) + threadIdx.x;
#endif
#pragma unroll 1
        for (int i = 0; i < WORDS; i += UNROLL) {
#pragma unroll
            for (int k = 0; k < UNROLL; ++k) read[k] = LOAD(chunk + (i + k) * THREADS);
#pragma unroll
            for (int k = 0; k < UNROLL; ++k) ADD(sums[k % 4], read[k]);
        }
    }
    float sum = sums[0] + sums[1] + sums[2] + sums[3];
    if (sum == 1.23456f) sink[threadIdx.x] = sum;
}
