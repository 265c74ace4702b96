// Cycles of the tensor core's products by type and shape: a chain of dependent ones, or several at once.
#define half_sum 1
#define half_sum_k8 2
#define half 3
#define half_k8 4
#define bfloat 5
#define bfloat_k8 6
#define tf32 7
#define tf32_k4 8
#define byte 9
#define byte_k16 10
#define byte_m8 11
#define nibble 12
#define double_m8 13
#define double_k4 14
#define double_k8 15
#define double_k16 16

#define SUMS_F32 "{%0, %1, %2, %3}"
#define OUT_F32(c) "+f"(x[c][0]), "+f"(x[c][1]), "+f"(x[c][2]), "+f"(x[c][3])
#define OUT_U32(c) "+r"(x[c][0]), "+r"(x[c][1]), "+r"(x[c][2]), "+r"(x[c][3])
#define OUT_F64(c) "+d"(x[c][0]), "+d"(x[c][1]), "+d"(x[c][2]), "+d"(x[c][3])
#define A4_B2 "{%4, %5, %4, %5}, {%4, %5}"
#define A2_B1 "{%4, %5}, {%4}"

#if OP == half_sum || OP == half_sum_k8
typedef unsigned Sum;
#define OUT(c) "+r"(x[c][0]), "+r"(x[c][1])
#define A4_B2_SHORT "{%2, %3, %2, %3}, {%2, %3}"
#define A2_B1_SHORT "{%2, %3}, {%2}"
#if OP == half_sum
#define MMA "mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%0, %1}, " A4_B2_SHORT ", {%0, %1};"
#else
#define MMA "mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16 {%0, %1}, " A2_B1_SHORT ", {%0, %1};"
#endif
#elif OP == byte_m8
typedef unsigned Sum;
#define OUT(c) "+r"(x[c][0]), "+r"(x[c][1])
#define MMA "mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32 {%0, %1}, {%2}, {%3}, {%0, %1};"
#elif OP == byte || OP == byte_k16 || OP == nibble
typedef unsigned Sum;
#define OUT(c) OUT_U32(c)
#if OP == byte
#define MMA "mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 " SUMS_F32 ", " A4_B2 ", " SUMS_F32 ";"
#elif OP == byte_k16
#define MMA "mma.sync.aligned.m16n8k16.row.col.s32.s8.s8.s32 " SUMS_F32 ", " A2_B1 ", " SUMS_F32 ";"
#else
#define MMA "mma.sync.aligned.m16n8k64.row.col.s32.s4.s4.s32 " SUMS_F32 ", " A4_B2 ", " SUMS_F32 ";"
#endif
#elif OP >= double_m8
typedef double Sum;
#if OP == double_m8
#define OUT(c) "+d"(x[c][0]), "+d"(x[c][1])
#define MMA "mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};"
#else
#define OUT(c) OUT_F64(c)
#if OP == double_k4
#define MMA "mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64 " SUMS_F32 ", " A2_B1 ", " SUMS_F32 ";"
#elif OP == double_k8
#define MMA "mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64 " SUMS_F32 ", " A4_B2 ", " SUMS_F32 ";"
#else
#define MMA "mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64 " SUMS_F32 ", {%4, %5, %4, %5, %4, %5, %4, %5}, {%4, %5, %4, %5}, " SUMS_F32 ";"
#endif
#endif
#else
typedef float Sum;
#define OUT(c) OUT_F32(c)
#if OP == half
#define MMA "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 " SUMS_F32 ", " A4_B2 ", " SUMS_F32 ";"
#elif OP == half_k8
#define MMA "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 " SUMS_F32 ", " A2_B1 ", " SUMS_F32 ";"
#elif OP == bfloat
#define MMA "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 " SUMS_F32 ", " A4_B2 ", " SUMS_F32 ";"
#elif OP == bfloat_k8
#define MMA "mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32 " SUMS_F32 ", " A2_B1 ", " SUMS_F32 ";"
#elif OP == tf32
#define MMA "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 " SUMS_F32 ", " A4_B2 ", " SUMS_F32 ";"
#else
#define MMA "mma.sync.aligned.m16n8k4.row.col.f32.tf32.tf32.f32 " SUMS_F32 ", " A2_B1 ", " SUMS_F32 ";"
#endif
#endif

#if OP >= double_m8
#define IN "d"(p), "d"(q)
#else
#define IN "r"(a), "r"(b)
#endif

extern "C" __global__ void tensor_rates(long long* __restrict__ cycles, float* __restrict__ sink, unsigned a, unsigned b) {
    Sum x[CHAINS][4] = {};
    const double p = a, q = b;
    long long first = 0;
#pragma unroll 1
    for (int pass = 0; pass < 2; ++pass) {
        __syncthreads();
        first = clock64();
#pragma unroll 1
        for (int r = 0; r < 16; ++r) {
#pragma unroll
            for (int k = 0; k < 16; ++k)
#pragma unroll
                for (int c = 0; c < CHAINS; ++c) asm volatile(MMA : OUT(c) : IN);
        }
    }
    cycles[blockIdx.x * blockDim.x + threadIdx.x] = clock64() - first;
    float sum = static_cast<float>(p + q);
#pragma unroll
    for (int c = 0; c < CHAINS; ++c) sum += x[c][0] + x[c][1] + x[c][2] + x[c][3];
    sink[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
