// When the warps of an SM come to the words that they load: rounds of eight loads of WIDTH bytes a lane, each two loads before
// its words are multiplied, ARITHMETIC times each. Lanes are WAYS * WIDTH bytes apart, so as many words are in one bank.
// Each warp of block 0 leaves the clock before each load of one round.
constexpr int WORDS = WIDTH / 4, LOADS = 8, AHEAD = 2, STEP = 32 * WIDTH * WAYS;

struct Words { float f[WORDS]; };

__device__ Words load(unsigned shared, const float* global) {
    Words w;
#if SHARED && WIDTH == 16
    asm volatile("ld.volatile.shared.v4.f32 {%0, %1, %2, %3}, [%4];" : "=f"(w.f[0]), "=f"(w.f[1]), "=f"(w.f[2]), "=f"(w.f[3]) : "r"(shared));
#elif SHARED && WIDTH == 8
    asm volatile("ld.volatile.shared.v2.f32 {%0, %1}, [%2];" : "=f"(w.f[0]), "=f"(w.f[1]) : "r"(shared));
#elif SHARED
    asm volatile("ld.volatile.shared.f32 %0, [%1];" : "=f"(w.f[0]) : "r"(shared));
#elif WIDTH == 16
    asm volatile("ld.global.ca.v4.f32 {%0, %1, %2, %3}, [%4];" : "=f"(w.f[0]), "=f"(w.f[1]), "=f"(w.f[2]), "=f"(w.f[3]) : "l"(global));
#elif WIDTH == 8
    asm volatile("ld.global.ca.v2.f32 {%0, %1}, [%2];" : "=f"(w.f[0]), "=f"(w.f[1]) : "l"(global));
#else
    asm volatile("ld.global.ca.f32 %0, [%1];" : "=f"(w.f[0]) : "l"(global));
#endif
    return w;
}

extern "C" __global__ void __launch_bounds__(1024)
load_marks(const float* __restrict__ input, float* __restrict__ out, unsigned* __restrict__ trace, int rounds, int marked) {
    __shared__ float kept[SHARED ? LOADS * STEP / 4 : 1];
    for (int i = threadIdx.x; SHARED && i < LOADS * STEP / 4; i += blockDim.x) kept[SHARED ? i : 0] = input[i];
    __syncthreads();
    const unsigned lane = threadIdx.x % 32, from = (unsigned)__cvta_generic_to_shared(kept) + lane * WIDTH * WAYS;
    const float* global = input + lane * WORDS * WAYS;
    float sums[8] = {};
    Words words[AHEAD];
    unsigned clocks[LOADS];
    for (int i = 0; i < AHEAD; ++i) words[i] = load(from + i * STEP, global + i * STEP / 4);
#pragma unroll 1
    for (int round = 0; round < rounds; ++round) {
#pragma unroll
        for (int k = 0; k < LOADS; ++k) {
            asm volatile("mov.u32 %0, %%clock;" : "=r"(clocks[k]));
            const Words now = words[k % AHEAD];
            words[k % AHEAD] = load(from + (k + AHEAD) % LOADS * STEP, global + (k + AHEAD) % LOADS * STEP / 4);
#pragma unroll
            for (int i = 0; i < WORDS; ++i)
#pragma unroll
                for (int a = 0; a < ARITHMETIC; ++a)
                    asm volatile("fma.rn.f32 %0, %1, 0.5, %0;" : "+f"(sums[(a + ARITHMETIC * (i + WORDS * k)) % 8]) : "f"(now.f[i]));
        }
        if (round == marked && lane == 0 && blockIdx.x == 0)
#pragma unroll
            for (int k = 0; k < LOADS; ++k) trace[threadIdx.x / 32 * LOADS + k] = clocks[k];
    }
    float sum = 0.0f;
#pragma unroll
    for (int i = 0; i < 8; ++i) sum += sums[i];
    if (sum == 12345.0f) out[threadIdx.x] = sum;
}
