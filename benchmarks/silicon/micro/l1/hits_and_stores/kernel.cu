// Rounds of LOADS coalesced loads that hit L1, WHERE 1: each on two lines, and STORES coalesced stores that L2 keeps.
extern "C" __global__ __launch_bounds__(1024) void hits_and_stores(const float* input, float* out, int rounds) {
    const float* from = input + threadIdx.x + WHERE;
    float* to = out + (blockIdx.x * 4 * STORES * 1024 + threadIdx.x);
    float sum = 0;
    for (int round = 0; round < rounds; ++round) {
#pragma unroll
        for (int k = 0; k < LOADS; ++k) {
            float loaded;
            asm volatile("ld.global.f32 %0, [%1];" : "=f"(loaded) : "l"(from + k * 512));
            sum += loaded;
        }
#pragma unroll
        for (int k = 0; k < STORES; ++k)
            asm volatile("st.global.f32 [%0], %1;" ::"l"(to + ((round & 3) * STORES + k) * 1024), "f"(sum));
    }
    if (sum == 1) out[0] = sum;
}
