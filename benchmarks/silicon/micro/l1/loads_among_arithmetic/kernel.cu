// Rounds of eight loads of WIDTH bytes a lane, one behind the other, that hit L1 (SHARED 0) or read shared memory (1), and
// ARITHMETIC multiply-adds with each word that they bring, which are independent of each other (CHAINS 8) or of two sums (2).
#if WIDTH == 4
typedef float Word;
#elif WIDTH == 8
typedef float2 Word;
#else
typedef float4 Word;
#endif

constexpr int WORDS = WIDTH / 4, LOADS = 8;

extern "C" __global__ void __launch_bounds__(1024)
loads_among_arithmetic(const Word* __restrict__ input, float* __restrict__ out, int rounds) {
    __shared__ Word kept[SHARED ? LOADS * 32 + 32 : 1];
    if (SHARED) {
        for (int i = threadIdx.x; i < LOADS * 32 + 32; i += blockDim.x) kept[SHARED ? i : 0] = input[i];
        __syncthreads();
    }
    const Word* from = SHARED ? kept : input;
    int at = threadIdx.x % 32;
    float sums[8] = {};
#pragma unroll 1
    for (int round = 0; round < rounds; ++round) {
        Word words[LOADS];
#pragma unroll
        for (int k = 0; k < LOADS; ++k) words[k] = SHARED ? from[at + k * 32] : __ldca(from + at + k * 32);
#pragma unroll
        for (int k = 0; k < LOADS; ++k)
#pragma unroll
            for (int i = 0; i < WORDS; ++i) {
                const float value = reinterpret_cast<const float*>(&words[k])[i];
#pragma unroll
                for (int a = 0; a < ARITHMETIC; ++a) {
                    float& sum = sums[(a + (ARITHMETIC * (i + WORDS * k))) % CHAINS];
                    sum = fmaf(value, a % 2 ? 1.5f : 0.5f, sum);
                }
            }
        at ^= rounds < 0;
    }
    float sum = 0.0f;
#pragma unroll
    for (int i = 0; i < 8; ++i) sum += sums[i];
    if (sum == 12345.0f) out[threadIdx.x] = sum;
}
