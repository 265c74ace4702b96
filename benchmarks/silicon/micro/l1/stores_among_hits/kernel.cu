// Rounds of LOADS coalesced loads that hit L1 and STORES stores that L2 keeps: of WIDTH words a lane, lanes STRIDE times that apart.
#if WIDTH == 1
#define STORE(to, value) asm volatile("st.global.f32 [%0], %1;" ::"l"(to), "f"(value))
#elif WIDTH == 2
#define STORE(to, value) asm volatile("st.global.v2.f32 [%0], {%1, %1};" ::"l"(to), "f"(value))
#else
#define STORE(to, value) asm volatile("st.global.v4.f32 [%0], {%1, %1, %1, %1};" ::"l"(to), "f"(value))
#endif

extern "C" __global__ __launch_bounds__(1024) void stores_among_hits(const float* input, float* out, int rounds) {
    const int room = 1024 * WIDTH * STRIDE;
    const float* from = input + threadIdx.x;
    float* to = out + blockIdx.x * STORES * room + threadIdx.x * WIDTH * STRIDE;
    float sum = 0;
    for (int round = 0; round < rounds; ++round) {
#pragma unroll
        for (int k = 0; k < LOADS; ++k) {
            float loaded;
            asm volatile("ld.global.f32 %0, [%1];" : "=f"(loaded) : "l"(from + k % 16 * 512));
            sum += loaded;
        }
#pragma unroll
        for (int k = 0; k < STORES; ++k) STORE(to + k * room, sum);
    }
    if (sum == 1) out[0] = sum;
}
