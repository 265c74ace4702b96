// Integers: wide, packed, bits, hashes, random numbers, number theory.
typedef unsigned long long u64;
typedef unsigned __int128 u128;
typedef __int128 i128;
#define T threadIdx.x
#define N blockDim.x

extern "C" __global__ void wide_multiply_add(const u64* a, const u64* b, u64* out) {
    u128 v = (u128)a[T] * b[T] + ((u128)b[T] << 64 | a[T]);
    out[T] = (u64)v, out[N + T] = (u64)(v >> 64);
}

extern "C" __global__ void wide_shift_and_compare(const u64* a, const u64* b, u64* out) {
    i128 x = (i128)((u128)a[T] << 64 | b[T]), y = (i128)((u128)b[T] << 64 | a[T]);
    i128 v = (x < y ? x - y : y - x) >> (a[T] & 127);
    out[T] = (u64)v, out[N + T] = (u64)(v >> 64);
}

extern "C" __global__ void wide_divide(const u64* a, const u64* b, u64* out) {
    u128 v = (u128)a[T] << 64 | b[T];
    u64 d = b[T] | 1;
    u128 q = v / d;
    out[T] = (u64)q, out[N + T] = (u64)(q >> 64), out[2 * N + T] = (u64)(v % d);
}

extern "C" __global__ void high_products(const u64* a, const u64* b, u64* out) {
    out[T] = __umul64hi(a[T], b[T]);
    out[N + T] = (u64)__mul64hi((long long)a[T], (long long)b[T]);
    out[2 * N + T] = __umulhi((unsigned)a[T], (unsigned)b[T]);
    out[3 * N + T] = (u64)(long long)__mulhi((int)a[T], (int)b[T]);
}

extern "C" __global__ void divide_64(const long long* a, const long long* b, long long* out) {
    long long d = b[T] >> (a[T] & 31);
    if (d == 0) d = 7;
    out[T] = a[T] / d, out[N + T] = a[T] % d;
    out[2 * N + T] = (long long)((u64)a[T] / (u64)d);
}

extern "C" __global__ void bit_counts(const u64* a, int* out) {
    u64 v = a[T];
    out[T] = __popcll(v), out[N + T] = __clzll(v >> (T & 63)), out[2 * N + T] = __ffsll(v << (T & 63));
    out[3 * N + T] = __popc((unsigned)v), out[4 * N + T] = __clz((int)v >> (T & 31)), out[5 * N + T] = __ffs((int)v << (T & 31));
}

extern "C" __global__ void bit_moves(const u64* a, u64* out) {
    unsigned x = (unsigned)a[T], y = (unsigned)(a[T] >> 32);
    out[T] = __brevll(a[T]);
    out[N + T] = __funnelshift_l(x, y, T) | (u64)__funnelshift_r(x, y, T) << 32;
    out[2 * N + T] = __byte_perm(x, y, 0x2705) | (u64)__byte_perm(x, y, x & 0x7777) << 32;
    unsigned extracted, inserted;
    int signed_part;
    asm("bfe.u32 %0, %1, %2, 9;" : "=r"(extracted) : "r"(x), "r"(T & 31));
    asm("bfe.s32 %0, %1, 5, %2;" : "=r"(signed_part) : "r"((int)x), "r"(T & 31));
    asm("bfi.b32 %0, %1, %2, 7, 11;" : "=r"(inserted) : "r"(x), "r"(y));
    out[3 * N + T] = extracted | (u64)(unsigned)signed_part << 32;
    out[4 * N + T] = inserted;
}

extern "C" __global__ void carry_chain(const unsigned* a, const unsigned* b, unsigned* out) {
    unsigned s[4], d[4];
    const unsigned *x = a + 4 * T, *y = b + 4 * T;
    asm("add.cc.u32 %0, %4, %8; addc.cc.u32 %1, %5, %9; addc.cc.u32 %2, %6, %10; addc.u32 %3, %7, %11;"
        : "=r"(s[0]), "=r"(s[1]), "=r"(s[2]), "=r"(s[3])
        : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(y[0]), "r"(y[1]), "r"(y[2]), "r"(y[3]));
    asm("sub.cc.u32 %0, %4, %8; subc.cc.u32 %1, %5, %9; subc.cc.u32 %2, %6, %10; subc.u32 %3, %7, %11;"
        : "=r"(d[0]), "=r"(d[1]), "=r"(d[2]), "=r"(d[3])
        : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(y[0]), "r"(y[1]), "r"(y[2]), "r"(y[3]));
    for (int k = 0; k < 4; ++k) out[8 * T + k] = s[k], out[8 * T + 4 + k] = d[k];
}

extern "C" __global__ void packed_bytes(const unsigned* a, const unsigned* b, unsigned* out) {
    unsigned x = a[T], y = b[T];
    unsigned r[10] = {__vadd4(x, y), __vsub4(x, y), __vmaxu4(x, y), __vmins4(x, y), __vabsdiffu4(x, y),
                      __vcmpgtu4(x, y), __vaddus4(x, y), __vavgu4(x, y), __vabs4(x), __vseteq4(x, y & 0xff00ff)};
    for (int k = 0; k < 10; ++k) out[k * N + T] = r[k];
}

extern "C" __global__ void packed_halfwords(const unsigned* a, const unsigned* b, unsigned* out) {
    unsigned x = a[T], y = b[T];
    unsigned r[8] = {__vadd2(x, y), __vsub2(x, y), __vmaxs2(x, y), __vminu2(x, y), __vabsdiffs2(x, y), __vcmplts2(x, y),
                     __vsubss2(x, y), __vneg2(x)};
    for (int k = 0; k < 8; ++k) out[k * N + T] = r[k];
}

extern "C" __global__ void dot_products(const int* a, const int* b, int* out) {
    out[T] = __dp4a(a[T], b[T], 5), out[N + T] = __dp4a((unsigned)a[T], (unsigned)b[T], 5u);
    out[2 * N + T] = __dp2a_lo(a[T], b[T], 3);
}

extern "C" __global__ void gcd(const unsigned* a, const unsigned* b, unsigned* out) {
    unsigned x = a[T] >> 8, y = b[T] >> 8;
    while (y) { unsigned t = x % y; x = y; y = t; }
    out[T] = x;
}

extern "C" __global__ void power_modulo(const unsigned* a, u64* out) {
    const u64 p = 1000000007ull;
    u64 base = a[T] % p, result = 1;
    for (unsigned e = a[T] ^ 0x5bd1e995u; e; e >>= 1) {
        if (e & 1) result = result * base % p;
        base = base * base % p;
    }
    out[T] = result;
}

extern "C" __global__ void montgomery(const u64* a, const u64* b, u64* out) {
    const u64 p = 0xffffffff00000001ull;
    u64 inverse = 1;
    for (int k = 0; k < 6; ++k) inverse *= 2 - p * inverse;
    u128 t = (u128)(a[T] % p) * (b[T] % p);
    u64 m = (u64)t * (0 - inverse);
    u128 mp = (u128)m * p, sum = t + mp;
    bool carry = sum < t;
    u64 high = (u64)(sum >> 64);
    out[T] = carry || high >= p ? high - p : high;
}

extern "C" __global__ void philox(unsigned* out, unsigned seed) {
    unsigned c[4] = {T, 1, 2, 3}, k0 = seed, k1 = 0xcafe;
    for (int r = 0; r < 10; ++r) {
        unsigned h0 = __umulhi(0xD2511F53u, c[0]), l0 = 0xD2511F53u * c[0], h1 = __umulhi(0xCD9E8D57u, c[2]), l1 = 0xCD9E8D57u * c[2];
        c[0] = h1 ^ c[1] ^ k0, c[1] = l1, c[2] = h0 ^ c[3] ^ k1, c[3] = l0;
        k0 += 0x9E3779B9u, k1 += 0xBB67AE85u;
    }
    for (int j = 0; j < 4; ++j) out[4 * T + j] = c[j];
}

extern "C" __global__ void xorshift_and_splitmix(u64* out) {
    u64 z = (T + 1) * 0x9E3779B97F4A7C15ull;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9ull;
    z = (z ^ z >> 27) * 0x94D049BB133111EBull;
    z ^= z >> 31;
    out[T] = z;
    for (int k = 0; k < 20; ++k) z ^= z << 13, z ^= z >> 7, z ^= z << 17;
    out[N + T] = z;
}

extern "C" __global__ void crc32(const unsigned char* x, unsigned* out) {
    unsigned crc = ~0u;
    for (int i = 0; i < 16; ++i) {
        crc ^= x[T * 16 + i];
        for (int b = 0; b < 8; ++b) crc = crc >> 1 ^ (0xEDB88320u & 0u - (crc & 1));
    }
    out[T] = ~crc;
}

extern "C" __global__ void sha256_rounds(const unsigned* w, unsigned* out) {
    unsigned s[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    auto r = [](unsigned v, int n) { return __funnelshift_r(v, v, n); };
#pragma unroll
    for (int i = 0; i < 16; ++i) {
        unsigned t1 = s[7] + (r(s[4], 6) ^ r(s[4], 11) ^ r(s[4], 25)) + (s[4] & s[5] ^ ~s[4] & s[6]) + w[16 * T + i];
        unsigned t2 = (r(s[0], 2) ^ r(s[0], 13) ^ r(s[0], 22)) + (s[0] & s[1] ^ s[0] & s[2] ^ s[1] & s[2]);
        for (int k = 7; k; --k) s[k] = s[k - 1];
        s[4] += t1, s[0] = t1 + t2;
    }
    for (int k = 0; k < 8; ++k) out[8 * T + k] = s[k];
}

extern "C" __global__ void saturate_and_average(const int* a, const int* b, int* out) {
    int v, w;
    asm("add.sat.s32 %0, %1, %2;" : "=r"(v) : "r"(a[T]), "r"(b[T]));
    asm("sub.sat.s32 %0, %1, %2;" : "=r"(w) : "r"(a[T]), "r"(b[T]));
    out[T] = v, out[N + T] = w, out[2 * N + T] = __hadd(a[T], b[T]), out[3 * N + T] = __rhadd(a[T], b[T]);
    out[4 * N + T] = __mul24(a[T], b[T]), out[5 * N + T] = __sad(a[T], b[T], 1u);
}

extern "C" __global__ void minima_of_64(const long long* a, const long long* b, long long* out) {
    out[T] = min(a[T], b[T]), out[N + T] = max(a[T], b[T]);
    out[2 * N + T] = (long long)min((u64)a[T], (u64)b[T]), out[3 * N + T] = (long long)max((u64)a[T], (u64)b[T]);
    out[4 * N + T] = llabs(a[T]) + (a[T] > b[T] ? a[T] : ~b[T]);
}

extern "C" __global__ void square_root(const u64* a, unsigned* out) {
    u64 v = a[T], r = 0;
    for (int b = 31; b >= 0; --b) {
        u64 t = r | 1ull << b;
        if (t * t <= v) r = t;
    }
    out[T] = (unsigned)r;
}

extern "C" __global__ void morton(const unsigned* a, u64* out) {
    auto spread = [](u64 v) {
        v = (v | v << 16) & 0x0000ffff0000ffffull, v = (v | v << 8) & 0x00ff00ff00ff00ffull;
        v = (v | v << 4) & 0x0f0f0f0f0f0f0f0full, v = (v | v << 2) & 0x3333333333333333ull;
        return (v | v << 1) & 0x5555555555555555ull;
    };
    out[T] = spread(a[T]) | spread(a[T] * 2654435761u) << 1;
}
