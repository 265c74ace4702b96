// What only GPUs have: tensor cores with operands that are exact, and functions that are called.
__device__ __forceinline__ unsigned small_halves(unsigned u) {
    unsigned z;
    asm("{.reg .f16 a,b; cvt.rn.f16.s32 a,%1; cvt.rn.f16.s32 b,%2; mov.b32 %0,{a,b};}"
        : "=r"(z) : "r"((int)(u & 15) - 7), "r"((int)(u >> 8 & 15) - 7));
    return z;
}
__device__ __forceinline__ unsigned small_bfloats(unsigned u) {
    unsigned z;
    asm("cvt.rn.bf16x2.f32 %0,%1,%2;" : "=r"(z) : "f"((int)(u & 15) - 7.0f), "f"((int)(u >> 8 & 15) - 7.0f));
    return z;
}
#define MULTIPLIED(name, type, operands) \
    __device__ __forceinline__ unsigned name(unsigned a, unsigned b, int c) { \
        float x = c & 255, y = c >> 8 & 255, z = x - y, w = x + y; \
        unsigned p = operands(a), q = operands(a >> 4), r = operands(b), s = operands(b >> 4), t = operands(a ^ b); \
        asm volatile("mma.sync.aligned.m16n8k16.row.col.f32." type "." type ".f32 {%0,%1,%2,%3},{%4,%5,%6,%7},{%8,%9}," \
                     "{%0,%1,%2,%3};" : "+f"(x), "+f"(y), "+f"(z), "+f"(w) : "r"(p), "r"(q), "r"(r), "r"(s), "r"(t), "r"(q)); \
        return (unsigned)(int)x ^ (unsigned)(int)y * 3 ^ (unsigned)(int)z * 5 ^ (unsigned)(int)w * 7; \
    }
MULTIPLIED(halves_multiplied, "f16", small_halves)
MULTIPLIED(bfloats_multiplied, "bf16", small_bfloats)
__device__ __forceinline__ int bytes_multiplied(unsigned a, unsigned b, int c) {
    int x = c, y = c ^ 5, z = a, w = b;
    asm volatile("mma.sync.aligned.m16n8k32.row.col.s32.u8.s8.s32 {%0,%1,%2,%3},{%4,%5,%6,%7},{%8,%9},{%0,%1,%2,%3};"
                 : "+r"(x), "+r"(y), "+r"(z), "+r"(w) : "r"(a), "r"(b), "r"(a ^ b), "r"(~a), "r"(b), "r"(a));
    return (unsigned)x ^ (unsigned)y * 3 ^ (unsigned)z * 5 ^ (unsigned)w * 7;
}
__device__ __forceinline__ double doubles_multiplied(unsigned a, unsigned b) {
    double x = a & 255, y = b & 255;
    asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1},{%2},{%3},{%0,%1};"
                 : "+d"(x), "+d"(y) : "d"((double)(a >> 16)), "d"((double)(b >> 16)));
    return x + y;
}
__device__ __forceinline__ unsigned matrices_loaded(const void* row) {
    unsigned a, b, c, d;
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3},[%4];"
                 : "=r"(a), "=r"(b), "=r"(c), "=r"(d) : "r"((unsigned)__cvta_generic_to_shared(row)) : "memory");
    return a ^ b * 3 ^ c * 5 ^ d * 7;
}
__device__ __noinline__ unsigned called(unsigned a, unsigned b) {
    unsigned n = 0;
    for (unsigned left = a & 15; left; --left) n = n * 31 + (b >> left);
    return n + a;
}
__device__ __noinline__ unsigned recursive(unsigned n, unsigned v) {
    return (n & 3) ? recursive((n & 3) - 1, v * 5 + n) ^ v : v;
}
