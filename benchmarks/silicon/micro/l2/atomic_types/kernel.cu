// Global atomics without (RETURNS 0) and with a returned value by type: 0 uint32, 1 float, 2 half2, 3 bfloat162, 4 uint64,
// 5 double, 6 four halves (vector), 7 two floats (vector), 8 four floats (vector). A warp's lanes lie side by side, in rows
// of ROW lanes; each step takes rows drawn from REGION KiB.
extern "C" __global__ void __launch_bounds__(512) atomic_types(unsigned char* __restrict__ out, unsigned* __restrict__ sink, int steps) {
    constexpr int BYTES = TYPE <= 3 ? 4 : TYPE <= 7 ? 8 : 16;
    const unsigned thread = blockIdx.x * 512 + threadIdx.x, lane = threadIdx.x % 32;
    constexpr unsigned rows = REGION * 1024 / (ROW * BYTES);
    unsigned seed = thread / ROW * 0x9E3779B1u, got = 0;
    for (int s = 0; s < steps; ++s) {
        seed = seed * 1664525u + 1013904223u;
        unsigned char* at = out + (size_t)((seed >> 8) % rows) * (ROW * BYTES) + lane % ROW * BYTES;
        unsigned a = 0x3c003c00u, b = 0;
        unsigned long long c = 1;
        double d = 1;
#if TYPE == 0 && RETURNS
        asm volatile("atom.global.add.u32 %0, [%1], %2;" : "=r"(b) : "l"(at), "r"(a) : "memory");
#elif TYPE == 0
        asm volatile("red.global.add.u32 [%0], %1;" ::"l"(at), "r"(a) : "memory");
#elif TYPE == 1 && RETURNS
        asm volatile("atom.global.add.f32 %0, [%1], %2;" : "=r"(b) : "l"(at), "r"(a) : "memory");
#elif TYPE == 1
        asm volatile("red.global.add.f32 [%0], %1;" ::"l"(at), "f"(1.0f) : "memory");
#elif TYPE == 2 && RETURNS
        asm volatile("atom.global.add.noftz.f16x2 %0, [%1], %2;" : "=r"(b) : "l"(at), "r"(a) : "memory");
#elif TYPE == 2
        asm volatile("red.global.add.noftz.f16x2 [%0], %1;" ::"l"(at), "r"(a) : "memory");
#elif TYPE == 3 && RETURNS
        asm volatile("atom.global.add.noftz.bf16x2 %0, [%1], %2;" : "=r"(b) : "l"(at), "r"(a) : "memory");
#elif TYPE == 3
        asm volatile("red.global.add.noftz.bf16x2 [%0], %1;" ::"l"(at), "r"(a) : "memory");
#elif TYPE == 4 && RETURNS
        asm volatile("atom.global.add.u64 %0, [%1], %0;" : "+l"(c) : "l"(at) : "memory");
#elif TYPE == 4
        asm volatile("red.global.add.u64 [%0], %1;" ::"l"(at), "l"(c) : "memory");
#elif TYPE == 5 && RETURNS
        asm volatile("atom.global.add.f64 %0, [%1], %0;" : "+d"(d) : "l"(at) : "memory");
#elif TYPE == 5
        asm volatile("red.global.add.f64 [%0], %1;" ::"l"(at), "d"(d) : "memory");
#elif TYPE == 6
        asm volatile("red.global.add.noftz.v2.f16x2 [%0], {%1, %1};" ::"l"(at), "r"(a) : "memory");
#elif TYPE == 7
        asm volatile("red.global.add.v2.f32 [%0], {%1, %1};" ::"l"(at), "f"(1.0f) : "memory");
#else
        asm volatile("red.global.add.v4.f32 [%0], {%1, %1, %1, %1};" ::"l"(at), "f"(1.0f) : "memory");
#endif
        got += b + (unsigned)c + (unsigned)d;
    }
    sink[thread] = got;
}
