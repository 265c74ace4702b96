// What L2 delivers and takes at the same time: each thread reads READS arrays and writes WRITES, `rounds` times the same elements.
#if WIDTH == 4
typedef float Word;
#elif WIDTH == 8
typedef float2 Word;
#else
typedef float4 Word;
#endif

__device__ float first(const Word& word) { return *reinterpret_cast<const float*>(&word); }

extern "C" __global__ void mixed_bandwidth(const Word* input, Word* out, int words, int rounds) {
    const int threads = gridDim.x * blockDim.x;
    float sum = 0;
    for (int round = 0; round < rounds; ++round) {
#pragma unroll 4
        for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < words; i += threads) {
            Word word = {};
#pragma unroll
            for (int k = 0; k < READS; ++k) {
                const Word read = __ldcg(input + k * words + i);
                if (WRITES) word = read;
                sum += first(read);
            }
#pragma unroll
            for (int k = 0; k < WRITES; ++k) out[k * words + i] = word;
        }
    }
    if (sum == 12345.0f) *reinterpret_cast<float*>(out) = sum;
}
