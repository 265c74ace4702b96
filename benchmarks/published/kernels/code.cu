// A loop of LENGTH KiB of straight-line code, 64 instructions each: FFMA and LOP3 in turn, four chains of each, so that
// all four schedulers can issue in every cycle.
#define FLOAT(x) "fma.rn.f32 " x ", " x ", %8, %9;"
#define LOGIC(x, y) "lop3.b32 " x ", " x ", " y ", %10, 0xe8;"
#define EIGHT                                                                                              \
    FLOAT("%0") LOGIC("%4", "%5") FLOAT("%1") LOGIC("%5", "%6") FLOAT("%2") LOGIC("%6", "%7") FLOAT("%3") LOGIC("%7", "%4")
extern "C" __global__ void code(float* __restrict__ sink, float a, float b, int c, int steps) {
    float x0 = threadIdx.x, x1 = x0 + 1, x2 = x0 + 2, x3 = x0 + 3;
    int i0 = threadIdx.x, i1 = i0 + 1, i2 = i0 + 2, i3 = i0 + 3;
#pragma unroll 1
    for (int s = 0; s < steps; ++s) {
#pragma unroll
        for (int k = 0; k < LENGTH; ++k)
            asm volatile(EIGHT EIGHT EIGHT EIGHT EIGHT EIGHT EIGHT EIGHT
                         : "+f"(x0), "+f"(x1), "+f"(x2), "+f"(x3), "+r"(i0), "+r"(i1), "+r"(i2), "+r"(i3)
                         : "f"(a), "f"(b), "r"(c));
    }
    sink[blockIdx.x * blockDim.x + threadIdx.x] = x0 + x1 + x2 + x3 + i0 + i1 + i2 + i3;
}
