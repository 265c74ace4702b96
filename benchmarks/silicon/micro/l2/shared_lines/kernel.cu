// Blocks, one an SM, read the same lines at the same time: SHARERS of them a stretch of their own, `rounds` times. APART 0: neighbours in
// the grid share, 1: blocks far from each other, 2: neighbours, but each begins elsewhere in the stretch.
extern "C" __global__ __launch_bounds__(1024) void shared_lines(const float4* input, float* out, int rounds) {
    const int words = 8192;  // float4s of a stretch: 128 KiB
    const int groups = gridDim.x / SHARERS;
    const int group = APART == 1 ? blockIdx.x % groups : blockIdx.x / SHARERS;
    const int shift = APART == 2 ? blockIdx.x % SHARERS * (words / SHARERS) / 1024 * 1024 : 0;
    const float4* stretch = input + group * words;
    float sum = 0;
    for (int round = 0; round < rounds; ++round) {
#pragma unroll 4
        for (int i = threadIdx.x; i < words; i += 1024) {
            const float4 word = __ldcg(stretch + ((i + shift) & (words - 1)));
            sum += word.x + word.y + word.z + word.w;
        }
    }
    out[blockIdx.x * 1024 + threadIdx.x] = sum;
}
