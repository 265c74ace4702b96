// READS arrays are read and WRITES arrays written at the same place, WIDTH bytes a thread; all arrays lie one behind the other.
#if WIDTH == 4
typedef float Word;
__device__ float only(Word v) { return v; }
__device__ Word all(float f) { return f; }
#else
typedef float4 Word;
__device__ float only(Word v) { return v.x + v.y + v.z + v.w; }
__device__ Word all(float f) { return {f, f, f, f}; }
#endif

extern "C" __global__ void __launch_bounds__(256) many_streams(const Word* __restrict__ input, Word* __restrict__ out, unsigned words) {
    const unsigned at = blockIdx.x * 256 + threadIdx.x;
    float sum = 0.0f;
#pragma unroll
    for (int r = 0; r < READS; ++r) sum += only(__ldcg(input + (size_t)r * words + at));
#pragma unroll
    for (int w = 0; w < WRITES; ++w) out[(size_t)w * words + at] = all(sum + w);
    if (WRITES == 0 && sum == 12345.0f) out[0] = all(sum);
}
