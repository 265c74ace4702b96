// As store_merging, but for where the lines lie: a store touches LINES of them, PITCH lines apart from each other, and GROUPS
// of so many take turns, a word of every lane at a time.
extern "C" __global__ __launch_bounds__(1024) void store_rows(float* out, int rounds) {
    constexpr int stride = LINES > 2 ? LINES : 2, room = LINES * GROUPS * PITCH * 32;
    const int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    float* to = out + (size_t)warp * rounds * room + lane * stride / 32 * (PITCH * 32) + lane * stride % 32;
    float value = 0;
    for (int round = 0; round < rounds; ++round, to += room) {
#pragma unroll 1
        for (int i = 0; i < 256; ++i) asm volatile("add.f32 %0, %0, %0;" : "+f"(value));
        __syncthreads();
        if (lane * stride < LINES * 32) {
#pragma unroll
            for (int word = 0; word < stride; ++word) {
#pragma unroll
                for (int group = 0; group < GROUPS; ++group)
                    asm volatile("st.global.f32 [%0], %1;" ::"l"(to + group * LINES * PITCH * 32 + word), "f"(value));
            }
        }
    }
}
