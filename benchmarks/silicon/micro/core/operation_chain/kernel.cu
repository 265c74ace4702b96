// Cycles of one operation: CHAINS chains of dependent operations a warp, timed with the SM clock on the second pass.
// One chain and one warp give the latency; many chains and warps give the issue interval of the unit.
__constant__ unsigned table[64] = {4, 8, 12, 16, 20, 24, 28, 32, 36, 40, 44, 48, 52, 56, 60, 0};

__device__ __forceinline__ void step(unsigned& x, unsigned a, unsigned b, unsigned shared_base) {
#if OP == 0
    asm volatile("fma.rn.f32 %0, %0, %1, %2;" : "+r"(x) : "r"(a), "r"(b));
#elif OP == 1
    asm volatile("mad.lo.u32 %0, %0, %1, %2;" : "+r"(x) : "r"(a), "r"(b));
#elif OP == 2
    asm volatile("lop3.b32 %0, %0, %1, %2, 0x96;" : "+r"(x) : "r"(a), "r"(b));
#elif OP == 3
    asm volatile("shf.r.wrap.b32 %0, %0, %1, %2;" : "+r"(x) : "r"(a), "r"(b));
#elif OP == 4
    asm volatile("popc.b32 %0, %0;" : "+r"(x));
#elif OP == 5
    asm volatile("bfind.u32 %0, %0;" : "+r"(x));
#elif OP == 6
    asm volatile("rsqrt.approx.ftz.f32 %0, %0;" : "+r"(x));
#elif OP == 7
    asm volatile("ex2.approx.ftz.f32 %0, %0;" : "+r"(x));
#elif OP == 8
    asm volatile("cvt.rn.f32.s32 %0, %0;" : "+r"(x));
#elif OP == 9
    asm volatile("cvt.rzi.s32.f32 %0, %0;" : "+r"(x));
#elif OP == 10
    asm volatile("fma.rn.f16x2 %0, %0, %1, %2;" : "+r"(x) : "r"(a), "r"(b));
#elif OP == 11
    asm volatile("shfl.sync.down.b32 %0, %0, 1, 31, -1;" : "+r"(x));
#elif OP == 12
    asm volatile("ld.shared.u32 %0, [%0];" : "+r"(x));
#elif OP == 13
    x = table[x & 60];
#elif OP == 14
    asm volatile("{.reg .pred p; setp.ne.u32 p, %0, %1; vote.sync.ballot.b32 %0, p, -1;}" : "+r"(x) : "r"(a));
#elif OP == 15
    asm volatile("prmt.b32 %0, %0, %1, 0x2103;" : "+r"(x) : "r"(a));
#elif OP == 16
    asm volatile("{.reg .pred p; setp.lt.u32 p, %0, %1; selp.b32 %0, %2, %0, p;}" : "+r"(x) : "r"(a), "r"(b));
#elif OP == 17
    asm volatile("{.reg .u32 t; mov.u32 t, %%smid; add.u32 %0, %0, t;}" : "+r"(x));
#elif OP == 18
    asm volatile("add.rn.f32 %0, %0, %1;" : "+r"(x) : "r"(a));
#elif OP == 19
    asm volatile("redux.sync.add.s32 %0, %0, -1;" : "+r"(x));
#else
    asm volatile("atom.shared.add.u32 %0, [%1], %0;" : "+r"(x) : "r"(shared_base));
#endif
}

extern "C" __global__ void operation_chain(long long* __restrict__ cycles, unsigned* __restrict__ sink, unsigned a,
                                           unsigned b, unsigned start) {
    __shared__ unsigned ring[1024];
    for (int i = threadIdx.x; i < 1024; i += blockDim.x)
        ring[i] = (unsigned)__cvta_generic_to_shared(&ring[(i + 32) % 1024]);
    __syncthreads();
    unsigned base = (unsigned)__cvta_generic_to_shared(&ring[threadIdx.x]);
    unsigned x[CHAINS];
#pragma unroll
    for (int c = 0; c < CHAINS; ++c) x[c] = OP == 12 ? base : start + c + threadIdx.x;  // different in every lane: no uniform datapath
    long long first = 0;
#pragma unroll 1
    for (int pass = 0; pass < 2; ++pass) {
        __syncthreads();
        first = clock64();
#pragma unroll 1
        for (int r = 0; r < 16; ++r) {
#pragma unroll
            for (int k = 0; k < 32; ++k)
#pragma unroll
                for (int c = 0; c < CHAINS; ++c) step(x[c], a, b, base);
        }
    }
    cycles[blockIdx.x * blockDim.x + threadIdx.x] = clock64() - first;
    unsigned sum = 0;
#pragma unroll
    for (int c = 0; c < CHAINS; ++c) sum += x[c];
    sink[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
