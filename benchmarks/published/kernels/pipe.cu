// CHAINS chains of one operation a thread: of one warp with one chain its latency, of many warps with many chains its
// rate. Neighbouring chains feed each other where a chain alone could be folded.
#include <cuda_fp16.h>
#if defined(FFMA)
typedef float T;
#define STEP(x, y) asm volatile("fma.rn.f32 %0, %0, %1, %2;" : "+f"(x) : "f"(a), "f"(b))
#elif defined(FADD)
typedef float T;
#define STEP(x, y) asm volatile("add.rn.f32 %0, %0, %1;" : "+f"(x) : "f"(a))
#elif defined(DFMA)
typedef double T;
#define STEP(x, y) asm volatile("fma.rn.f64 %0, %0, %1, %2;" : "+d"(x) : "d"(a), "d"(b))
#elif defined(HFMA2)
typedef unsigned T;
#define STEP(x, y) asm volatile("fma.rn.f16x2 %0, %0, %1, %2;" : "+r"(x) : "r"(a), "r"(b))
#elif defined(IADD)
typedef unsigned T;
#define STEP(x, y) asm volatile("add.u32 %0, %0, %1;" : "+r"(x) : "r"(y))
#elif defined(IADD3)
typedef unsigned T;
#define STEP(x, y) x = x + y + a
#elif defined(IMAD)
typedef unsigned T;
#define STEP(x, y) asm volatile("mad.lo.u32 %0, %0, %1, %2;" : "+r"(x) : "r"(a), "r"(b))
#elif defined(LOP3)
typedef unsigned T;
#define STEP(x, y) asm volatile("lop3.b32 %0, %0, %1, %2, 0xe8;" : "+r"(x) : "r"(y), "r"(a))
#elif defined(SHF)
typedef unsigned T;
#define STEP(x, y) asm volatile("shf.l.wrap.b32 %0, %0, %1, %2;" : "+r"(x) : "r"(y), "r"(a))
#elif defined(COMPARE)
typedef int T;
#define STEP(x, y) asm volatile("min.s32 %0, %0, %1;" : "+r"(x) : "r"(y))
#elif defined(DP4A)
typedef int T;
#define STEP(x, y) asm volatile("dp4a.s32.s32 %0, %0, %1, %2;" : "+r"(x) : "r"(a), "r"(b))
#elif defined(POPC)
typedef unsigned T;
#define STEP(x, y) asm volatile("popc.b32 %0, %0;" : "+r"(x))
#elif defined(EX2)
typedef float T;
#define STEP(x, y) asm volatile("ex2.approx.ftz.f32 %0, %0;" : "+f"(x))
#elif defined(SHFL)
typedef unsigned T;
#define STEP(x, y) asm volatile("shfl.sync.bfly.b32 %0, %0, 1, 31, -1;" : "+r"(x))
#else
#error an operation must be chosen
#endif

extern "C" __global__ void pipe(T* __restrict__ sink, T a, T b, int steps) {
    T x[CHAINS];
#pragma unroll
    for (int c = 0; c < CHAINS; ++c) x[c] = (T)(threadIdx.x + 3 * c + 1);
#pragma unroll 1
    for (int s = 0; s < steps; ++s) {
#pragma unroll
        for (int k = 0; k < 256 / CHAINS; ++k)
#pragma unroll
            for (int c = 0; c < CHAINS; ++c) STEP(x[c], x[(c + 1) % CHAINS]);
    }
    T all = x[0];
#pragma unroll
    for (int c = 1; c < CHAINS; ++c) all += x[c];
    sink[blockIdx.x * blockDim.x + threadIdx.x] = all;
}
