// What a warp may do behind a barrier that others have not reached: warp 0 arrives `late` cycles after the rest. Readings
// of the clock: before the barrier, behind it, behind 16 independent FMAs, behind one more operation of a KIND, and
// behind 16 FMAs that follow.
// KIND 0: nothing; 1: load from shared memory; 2: store to shared memory; 3: global load; 4: global store; 5: shuffle;
// 6: ballot; 7: special function; 8: a loop; 9: a second barrier; 10: S2R; 11: constant load; 12: fence of the block;
// 13: atomic to shared memory.
extern "C" __global__ void barrier_wait(const float* __restrict__ data, unsigned long long* __restrict__ trace, float* __restrict__ sink, int late) {
    __shared__ float table[1024];
    __shared__ int counter[32];
    table[threadIdx.x] = data[threadIdx.x];
    if (threadIdx.x < 32) counter[threadIdx.x] = 0;
    float x[4];
    for (int c = 0; c < 4; ++c) x[c] = data[threadIdx.x + c];
    const float a = data[threadIdx.x % 32 + 100], b = data[threadIdx.x % 32 + 101];
    unsigned long long t0, t1, t2, t3, t4, zero = 0;
    float y = 0;
    int k = threadIdx.x;
#pragma unroll 1
    for (int pass = 0; pass < 3; ++pass) {
        __syncthreads();
        const long long begin = clock64();
        if (threadIdx.x < 32)
            while (clock64() - begin < late) {}
        asm volatile("mov.u64 %0, %%clock64;" : "=l"(t0)::"memory");
        __syncthreads();
        asm volatile("mov.u64 %0, %%clock64;" : "=l"(t1)::"memory");
#pragma unroll
        for (int u = 0; u < 16; ++u) asm volatile("fma.rn.f32 %0, %0, %1, %2;" : "+f"(x[u % 4]) : "f"(a), "f"(b));
        asm volatile("mov.u64 %0, %%clock64;" : "=l"(t2)::"memory");
        if (KIND == 1) asm volatile("ld.volatile.shared.f32 %0, [%1];" : "=f"(y) : "r"((unsigned)__cvta_generic_to_shared(&table[k])) : "memory");
        if (KIND == 2) asm volatile("st.volatile.shared.f32 [%1], %0;" : : "f"(x[0]), "r"((unsigned)__cvta_generic_to_shared(&table[k])) : "memory");
        if (KIND == 3) asm volatile("ld.volatile.global.f32 %0, [%1];" : "=f"(y) : "l"(data + k) : "memory");
        if (KIND == 4) asm volatile("st.volatile.global.f32 [%1], %0;" : : "f"(x[0]), "l"(sink + k) : "memory");
        if (KIND == 5) y = __shfl_xor_sync(0xffffffff, x[0], 1);
        if (KIND == 6) y = __ballot_sync(0xffffffff, x[0] > 0.5f);
        if (KIND == 7) asm volatile("rsqrt.approx.f32 %0, %1;" : "=f"(y) : "f"(x[0]));
        if (KIND == 8) {
#pragma unroll 1
            for (int i = 0; i < 4; ++i) asm volatile("fma.rn.f32 %0, %0, %1, %2;" : "+f"(x[0]) : "f"(a), "f"(b));
        }
        if (KIND == 9) __syncthreads();
        if (KIND == 10) asm volatile("mov.u32 %0, %%laneid;" : "=r"(k));
        if (KIND == 12) __threadfence_block();
        if (KIND == 13) atomicAdd(&counter[k & 31], 1);
        asm volatile("mov.u64 %0, %%clock64;" : "=l"(t3)::"memory");
#pragma unroll
        for (int u = 0; u < 16; ++u) asm volatile("fma.rn.f32 %0, %0, %1, %2;" : "+f"(x[u % 4]) : "f"(a), "f"(b));
        asm volatile("mov.u64 %0, %%clock64;" : "=l"(t4)::"memory");
        x[1] += y;
    }
    sink[blockIdx.x * blockDim.x + threadIdx.x] = x[0] + x[1] + x[2] + x[3] + table[threadIdx.x] + k + counter[threadIdx.x & 31];
    if (threadIdx.x % 32 == 0) {
        unsigned long long* own = trace + threadIdx.x / 32 * 5;
        own[0] = t0;
        own[1] = t1;
        own[2] = t2;
        own[3] = t3;
        own[4] = t4 + zero;
    }
}
