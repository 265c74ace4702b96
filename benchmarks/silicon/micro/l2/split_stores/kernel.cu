// Each thread writes WORDS words in a row, one by one, the next lane those behind them; GROUPS such stretches of a warp follow each
// other, with BETWEEN dependent additions before each. A thread writes 32 words in all.
extern "C" __global__ void __launch_bounds__(WARPS * 32) split_stores(float* out, int rounds) {
    const int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    float* to = out + (size_t)warp * 1024 + lane * WORDS;
    float value = out[0] + warp;
#pragma unroll 1
    for (int round = 0; round < rounds; ++round, to += GROUPS * WORDS * 32) {
#pragma unroll
        for (int group = 0; group < GROUPS; ++group) {
#pragma unroll
            for (int i = 0; i < BETWEEN; ++i) asm volatile("add.f32 %0, %0, %0;" : "+f"(value));
#pragma unroll
            for (int word = 0; word < WORDS; ++word)
                asm volatile("st.global.f32 [%0], %1;" ::"l"(to + group * WORDS * 32 + word), "f"(value));
        }
    }
}
