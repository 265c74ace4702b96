// One thread follows pointers, as gpu-latency of RRZE gpu-benches does. INDEXED: it follows indices of a table of
// 32-bit words instead, whose address arithmetic is part of each step. SHARED: the pointers lie in shared memory.
#ifdef SHARED
extern "C" __global__ void chase(unsigned* __restrict__ sink, int steps) {
    __shared__ unsigned table[1024];
#ifdef INDEXED
    unsigned base = 0, word = 1;
#define STEP(at) at = *(volatile unsigned*)(table + at)
#else
    unsigned base = (unsigned)__cvta_generic_to_shared(table), word = 4;
#define STEP(at) asm volatile("ld.shared.u32 %0, [%0];" : "+r"(at))
#endif
    for (int i = threadIdx.x; i < 1024; i += blockDim.x) table[i] = base + word * ((i + 33) % 1024);
    __syncthreads();
    unsigned at = base;
#pragma unroll 1
    for (int s = 0; s < steps; s += 32) {
#pragma unroll
        for (int k = 0; k < 32; ++k) STEP(at);
    }
    sink[0] = at;
}
#elif defined(INDEXED)
extern "C" __global__ void chase(const int* __restrict__ table, int* __restrict__ sink, int steps) {
    int at = 0;
#pragma unroll 1
    for (int s = 0; s < steps; s += 32) {
#pragma unroll
        for (int k = 0; k < 32; ++k) asm volatile("ld.global.s32 %0, [%1];" : "=r"(at) : "l"(table + at));
    }
    sink[0] = at;
}
#else
extern "C" __global__ void chase(const unsigned long long* table, unsigned long long* sink, int steps) {
    unsigned long long at = (unsigned long long)table;
#pragma unroll 1
    for (int s = 0; s < steps; s += 32) {
#pragma unroll
        for (int k = 0; k < 32; ++k) asm volatile("ld.global.u64 %0, [%0];" : "+l"(at));
    }
    sink[0] = at;
}
#endif
