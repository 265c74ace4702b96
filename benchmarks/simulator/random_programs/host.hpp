// What CUDA has and a host's C++ does not: its intrinsics, and conversions that saturate.
#include <cmath>
#include <cstdio>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#define QUALIFIER static inline
typedef unsigned u32; typedef long long i64; typedef unsigned long long U64;
template <class T> static T min(T a, T b) { return b < a ? b : a; }
template <class T> static T max(T a, T b) { return a < b ? b : a; }
static u32 __umulhi(u32 a, u32 b) { return (U64)a * b >> 32; }
static int __mulhi(int a, int b) { return (i64)a * b >> 32; }
static U64 __umul64hi(U64 a, U64 b) { return (unsigned __int128)a * b >> 64; }
static i64 __mul64hi(i64 a, i64 b) { return (__int128)a * b >> 64; }
static int __popc(u32 a) { return __builtin_popcount(a); }
static int __popcll(U64 a) { return __builtin_popcountll(a); }
static int __clz(u32 a) { return a ? __builtin_clz(a) : 32; }
static int __clzll(U64 a) { return a ? __builtin_clzll(a) : 64; }
static int __ffs(u32 a) { return __builtin_ffs(a); }
static int __ffsll(U64 a) { return __builtin_ffsll(a); }
static u32 __brev(u32 a) { u32 r = 0; for (int i = 0; i < 32; ++i) r |= (a >> i & 1) << (31 - i); return r; }
static U64 __brevll(U64 a) { return (U64)__brev(a) << 32 | __brev(a >> 32); }
static u32 __byte_perm(u32 a, u32 b, u32 s) {
    U64 p = (U64)b << 32 | a; u32 r = 0;
    for (int i = 0; i < 4; ++i) r |= (u32)(p >> 8 * (s >> 4 * i & 7) & 255) << 8 * i;
    return r;
}
static u32 __funnelshift_l(u32 a, u32 b, u32 s) { return (((U64)b << 32 | a) << (s & 31)) >> 32; }
static u32 __funnelshift_r(u32 a, u32 b, u32 s) { return ((U64)b << 32 | a) >> (s & 31); }
static u32 __usad(u32 a, u32 b, u32 c) { return (a > b ? a - b : b - a) + c; }
static u32 __uhadd(u32 a, u32 b) { return ((U64)a + b) >> 1; }
static int __dp4a(int a, int b, int c) {
    u32 r = c; for (int i = 0; i < 4; ++i) r += (int)(int8_t)(a >> 8 * i) * (int8_t)(b >> 8 * i); return r;
}
template <int BITS, class F> static u32 parts(u32 a, u32 b, F f) {
    u32 mask = (1u << BITS) - 1, r = 0;
    for (int i = 0; i < 32; i += BITS) r |= ((u32)f(a >> i & mask, b >> i & mask) & mask) << i;
    return r;
}
static u32 __vadd2(u32 a, u32 b) { return parts<16>(a, b, [](u32 x, u32 y) { return x + y; }); }
static u32 __vsub2(u32 a, u32 b) { return parts<16>(a, b, [](u32 x, u32 y) { return x - y; }); }
static u32 __vadd4(u32 a, u32 b) { return parts<8>(a, b, [](u32 x, u32 y) { return x + y; }); }
static u32 __vmaxu2(u32 a, u32 b) { return parts<16>(a, b, [](u32 x, u32 y) { return x > y ? x : y; }); }
static u32 __vmins2(u32 a, u32 b) { return parts<16>(a, b, [](u32 x, u32 y) { return (int16_t)x < (int16_t)y ? x : y; }); }
static u32 __vabsdiffu4(u32 a, u32 b) { return parts<8>(a, b, [](u32 x, u32 y) { return x > y ? x - y : y - x; }); }
static u32 __vcmpgtu2(u32 a, u32 b) { return parts<16>(a, b, [](u32 x, u32 y) { return x > y ? 65535u : 0u; }); }
static u32 __vavgu4(u32 a, u32 b) { return parts<8>(a, b, [](u32 x, u32 y) { return (x + y + 1) >> 1; }); }
template <class T, class F> static T whole(F v) {
    const double low = T(-1) < T(0) ? -std::ldexp(1.0, 8 * sizeof(T) - 1) : 0.0;
    const double high = std::ldexp(1.0, 8 * sizeof(T) - (T(-1) < T(0)));
    if (v != v) return sizeof(T) == 8 || sizeof(F) == 8 ? (T)(1ull << (8 * sizeof(T) - 1)) : T(0);  // PTX ISA, cvt
    if (v >= high) return T(-1) < T(0) ? (T)(~(U64)0 >> (65 - 8 * sizeof(T)) % 64) : (T)~T(0);
    if (v <= low) return T(-1) < T(0) ? (T)((U64)1 << (8 * sizeof(T) - 1)) : T(0);
    return (T)v;
}
static u32 __float2uint_rz(float v) { return whole<u32>(v); }
static u32 __double2uint_rz(double v) { return whole<u32>(v); }
static int __float2int_rz(float v) { return v >= 2147483648.f ? 2147483647 : whole<int>(v); }
static int __float2int_rn(float v) { return __float2int_rz(std::nearbyint(v)); }
static int __double2int_rn(double v) { v = std::nearbyint(v); return v >= 2147483648. ? 2147483647 : whole<int>(v); }
static i64 __double2ll_rn(double v) { v = std::nearbyint(v); return v >= 9223372036854775808. ? 9223372036854775807ll : whole<i64>(v); }
static i64 __float2ll_rz(float v) { return v >= 9223372036854775808.f ? 9223372036854775807ll : whole<i64>(v); }
static U64 __double2ull_rz(double v) { return whole<U64>(v); }
static U64 __float2ull_rz(float v) { return whole<U64>(v); }
static float __fadd_rn(float a, float b) { return a + b; }
static float __fsub_rn(float a, float b) { return a - b; }
static float __fmul_rn(float a, float b) { return a * b; }
static float __fmaf_rn(float a, float b, float c) { return std::fma(a, b, c); }
static float __fdiv_rn(float a, float b) { return a / b; }
static float __fsqrt_rn(float a) { return std::sqrt(a); }
static double __dadd_rn(double a, double b) { return a + b; }
static double __dsub_rn(double a, double b) { return a - b; }
static double __dmul_rn(double a, double b) { return a * b; }
static double __fma_rn(double a, double b, double c) { return std::fma(a, b, c); }
static double __ddiv_rn(double a, double b) { return a / b; }
static double __dsqrt_rn(double a) { return std::sqrt(a); }
template <class T> static T lesser(T a, T b) { return a != a ? b : b != b ? a : a == b ? (std::signbit(a) ? a : b) : a < b ? a : b; }
template <class T> static T greater(T a, T b) { return a != a ? b : b != b ? a : a == b ? (std::signbit(a) ? b : a) : a > b ? a : b; }
#define fminf lesser<float>
#define fmaxf greater<float>
#define fmin lesser<double>
#define fmax greater<double>
#define abs std::abs
