// CHAINS products of mma.sync a warp whose sums depend on the round before: of one warp with one chain the latency, of
// many the rate. SHAPE_AND_TYPES is PTX's name of the product; A, B and C are its registers of 32 bits a thread.
#define FOUR(v) "r"(v[0]), "r"(v[1]), "r"(v[2]), "r"(v[3])
#define TWO(v) "r"(v[0]), "r"(v[1])
#ifdef FP64
typedef double Sum;
#define PRODUCT(c)                                                                                       \
    asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1}, {%2}, {%3}, {%0,%1};"          \
                 : "+d"(c[0]), "+d"(c[1])                                                                 \
                 : "d"(a), "d"(b))
#define SUMS 2
#elif defined(HALF_SUM)
typedef unsigned Sum;
#define PRODUCT(c)                                                                                       \
    asm volatile("mma.sync.aligned." SHAPE_AND_TYPES " {%0,%1}, {%2,%3,%4,%5}, {%6,%7}, {%0,%1};"         \
                 : "+r"(c[0]), "+r"(c[1])                                                                 \
                 : FOUR(a), TWO(b))
#define SUMS 2
#elif defined(SHORT_DEPTH)
typedef unsigned Sum;
#define PRODUCT(c)                                                                                       \
    asm volatile("mma.sync.aligned." SHAPE_AND_TYPES " {%0,%1,%2,%3}, {%4,%5}, {%6}, {%0,%1,%2,%3};"      \
                 : "+r"(c[0]), "+r"(c[1]), "+r"(c[2]), "+r"(c[3])                                         \
                 : TWO(a), "r"(b[0]))
#define SUMS 4
#else
#ifdef INTEGER
typedef unsigned Sum;
#define IN_A_REGISTER "+r"
#else
typedef float Sum;
#define IN_A_REGISTER "+f"
#endif
#define PRODUCT(c)                                                                                       \
    asm volatile("mma.sync.aligned." SHAPE_AND_TYPES                                                     \
                 " {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"                                 \
                 : IN_A_REGISTER(c[0]), IN_A_REGISTER(c[1]), IN_A_REGISTER(c[2]), IN_A_REGISTER(c[3])     \
                 : FOUR(a), TWO(b))
#define SUMS 4
#endif

extern "C" __global__ void matrix(Sum* __restrict__ sink, unsigned from, int steps) {
#ifdef FP64
    double a = from, b = threadIdx.x;
#else
    unsigned a[4], b[2];
#pragma unroll
    for (int i = 0; i < 4; ++i) a[i] = from * i;
    b[0] = from + threadIdx.x, b[1] = from;
#endif
    Sum c[CHAINS][SUMS] = {};
#pragma unroll 1
    for (int s = 0; s < steps; ++s) {
#pragma unroll
        for (int k = 0; k < 64 / CHAINS; ++k)
#pragma unroll
            for (int n = 0; n < CHAINS; ++n) PRODUCT(c[n]);
    }
    Sum all = 0;
#pragma unroll
    for (int n = 0; n < CHAINS; ++n)
#pragma unroll
        for (int i = 0; i < SUMS; ++i) all += c[n][i];
    sink[blockIdx.x * blockDim.x + threadIdx.x] = all;
}
