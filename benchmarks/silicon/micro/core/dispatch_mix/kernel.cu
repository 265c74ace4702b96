// What a memory instruction costs the scheduler beyond its own issue: MIX arithmetic instructions for each one.
// OP 0: none; 1, 2: shared loads of 32, 128 bits; 3: shared stores; 4: loads out of L1; 5: stores; 6: shuffles;
// 7: special functions. What was loaded is added one step later. READS: registers that an arithmetic instruction reads.
#define STEPS 4

extern "C" __global__ void dispatch_mix(const float* __restrict__ data, float* out, int rounds, float step) {
    __shared__ float shared[4 * 1024 + 4];
    float sum[MIX], addend[MIX];
    for (int i = 0; i < MIX; ++i) sum[i] = data[i], addend[i] = data[i + 64] * step;
    for (int i = threadIdx.x; i < 4 * 1024; i += blockDim.x) shared[i] = data[i];
    __syncthreads();
    const unsigned here = static_cast<unsigned>(__cvta_generic_to_shared(shared)) + threadIdx.x % 32 * (OP == 2 ? 16 : 4);
    const float* mine = data + threadIdx.x % 32;
    float* store = out + blockIdx.x * blockDim.x + threadIdx.x;
    float sink = 0, got = 0;
#pragma unroll 1
    for (int round = 0; round < rounds; ++round) {
#pragma unroll
        for (int s = 0; s < STEPS; ++s) {
            float a = 0, b = 0, c = 0, d = 0;
#if OP == 1
            asm volatile("ld.shared.f32 %0, [%1];" : "=f"(a) : "r"(here + s * 128));
#elif OP == 2
            asm volatile("ld.shared.v4.f32 {%0, %1, %2, %3}, [%4];" : "=f"(a), "=f"(b), "=f"(c), "=f"(d) : "r"(here + s * 512));
#elif OP == 3
            asm volatile("st.shared.f32 [%1], %0;" ::"f"(addend[s]), "r"(here + s * 128));
#elif OP == 4
            asm volatile("ld.global.nc.f32 %0, [%1];" : "=f"(a) : "l"(mine + s * 32));
#elif OP == 5
            asm volatile("st.global.f32 [%1], %0;" ::"f"(addend[s]), "l"(store));
#elif OP == 6
            asm volatile("shfl.sync.bfly.b32 %0, %1, 1, 31, 0xffffffff;" : "=f"(a) : "f"(addend[s]));
#elif OP == 7
            asm volatile("ex2.approx.ftz.f32 %0, %1;" : "=f"(a) : "f"(addend[s]));
#endif
#pragma unroll
            for (int i = 0; i < MIX; ++i) sum[i] += i == 0 ? got : READS == 1 ? 1.5f : addend[i];
            got = a;
        }
    }
    for (int i = 0; i < MIX; ++i) sink += sum[i];
    if (sink == 12345.0f) out[0] = sink;
}
