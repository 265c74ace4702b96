// What an instruction of the memory pipe costs the arithmetic of its scheduler: MIX arithmetic instructions for each one.
// OP 0: none; 1, 2, 3: shared loads of 32, 64, 128 bits; 4, 5: loads of 32, 128 bits that hit L1; 6, 7: shared stores of
// 32, 128 bits; 8: special functions; 9: shared loads that no lane executes. What was loaded is added one step later.
// READS: registers that an arithmetic instruction reads. Addresses change from round to round, so that no load leaves the loop.
#define STEPS 4
#define WORDS (OP == 2 ? 2 : OP == 3 || OP == 5 ? 4 : 1)

extern "C" __global__ void register_traffic(const float* __restrict__ data, float* out, int rounds, unsigned turn) {
    __shared__ float shared[4 * 1024];
    float sum[MIX], addend[8], factor[8];
    for (int i = 0; i < MIX; ++i) sum[i] = data[i];
    for (int i = 0; i < 8; ++i) addend[i] = data[i + 64], factor[i] = data[i + 96];
    for (int i = threadIdx.x; i < 4 * 1024; i += blockDim.x) shared[i] = data[i];
    __syncthreads();
    unsigned lane = threadIdx.x % 32;
    unsigned here = static_cast<unsigned>(__cvta_generic_to_shared(shared)) + lane * 4 * (OP == 7 ? 4 : WORDS);
    const char* mine = reinterpret_cast<const char*>(data) + lane * 4 * WORDS;
    float sink = 0, got[4] = {};
#pragma unroll 1
    for (int round = 0; round < rounds; ++round) {
#pragma unroll
        for (int s = 0; s < STEPS; ++s) {
            float a[4] = {};
#if OP == 1
            asm volatile("ld.shared.f32 %0, [%1];" : "=f"(a[0]) : "r"(here + s * 128));
#elif OP == 2
            asm volatile("ld.shared.v2.f32 {%0, %1}, [%2];" : "=f"(a[0]), "=f"(a[1]) : "r"(here + s * 256));
#elif OP == 3
            asm volatile("ld.shared.v4.f32 {%0, %1, %2, %3}, [%4];"
                         : "=f"(a[0]), "=f"(a[1]), "=f"(a[2]), "=f"(a[3]) : "r"(here + s * 512));
#elif OP == 4
            asm volatile("ld.global.nc.f32 %0, [%1];" : "=f"(a[0]) : "l"(mine + s * 128));
#elif OP == 5
            asm volatile("ld.global.nc.v4.f32 {%0, %1, %2, %3}, [%4];"
                         : "=f"(a[0]), "=f"(a[1]), "=f"(a[2]), "=f"(a[3]) : "l"(mine + s * 512));
#elif OP == 6
            asm volatile("st.shared.f32 [%1], %0;" ::"f"(addend[s]), "r"(here + s * 128));
#elif OP == 7
            asm volatile("st.shared.v4.f32 [%4], {%0, %1, %2, %3};" ::"f"(addend[0]), "f"(addend[1]), "f"(addend[2]), "f"(addend[3]),
                         "r"(here + s * 512));
#elif OP == 8
            asm volatile("ex2.approx.ftz.f32 %0, %1;" : "=f"(a[0]) : "f"(sum[s]));
#elif OP == 9
            asm volatile("{.reg .pred p; setp.ne.u32 p, %2, 0; mov.f32 %0, 0f00000000; @p ld.shared.f32 %0, [%1];}"
                         : "=f"(a[0]) : "r"(here + s * 128), "r"(turn));
#endif
#pragma unroll
            for (int i = 0; i < MIX; ++i) {
                float other = i < WORDS && OP != 0 && OP != 6 && OP != 7 ? got[i] : READS == 1 ? 1.5f : addend[i % 8];
                sum[i] = READS == 3 ? fmaf(sum[i], factor[i % 8], other) : sum[i] + other;
            }
#pragma unroll
            for (int i = 0; i < 4; ++i) got[i] = a[i];
        }
        here ^= turn;
        mine += turn;
    }
    for (int i = 0; i < MIX; ++i) sink += sum[i];
    if (sink == 12345.0f) out[0] = sink;
}
