// Lines that each warp writes word by word, STRIDE words apart: a store touches LINES of them, and GROUPS of so many lines
// take turns, so that LINES * GROUPS lines are written before the first one is again. DELAY dependent additions, and the end of
// a loop, lie between two stores of a warp. Between two rounds all is quiet.
__device__ float chain(float x, int length) {
    for (int i = 0; i < length; ++i) asm volatile("add.f32 %0, %0, %0;" : "+f"(x));
    return x;
}

extern "C" __global__ __launch_bounds__(1024) void store_merging(float* out, int rounds) {
    constexpr int stride = LINES > 2 ? LINES : 2, room = LINES * GROUPS * 32;
    const int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    float* to = out + (size_t)warp * rounds * room + lane * stride;
    float value = 0;
    for (int round = 0; round < rounds; ++round, to += room) {
#pragma unroll 1
        for (int i = 0; i < 8; ++i) value = chain(value, 32);
        __syncthreads();
        if (lane * stride < LINES * 32) {
#pragma unroll DELAY ? 1 : stride
            for (int word = 0; word < stride; ++word) {
#pragma unroll
                for (int group = 0; group < GROUPS; ++group) {
                    asm volatile("st.global.f32 [%0], %1;" ::"l"(to + group * LINES * 32 + word), "f"(value));
                    value = chain(value, DELAY);
                }
            }
        }
    }
}
