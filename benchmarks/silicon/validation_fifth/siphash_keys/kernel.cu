// SipHash-2-4 or SipHash-1-3; the EACH keys of a thread are hashed side by side.
typedef unsigned long long u64;

struct State { u64 a, b, c, d; };

__device__ u64 turn(u64 x, int n) { return x << n | x >> 64 - n; }

__device__ void round(State& s)
{
    s.a += s.b;
    s.c += s.d;
    s.b = turn(s.b, 13) ^ s.a;
    s.d = turn(s.d, 16) ^ s.c;
    s.a = turn(s.a, 32);
    s.c += s.b;
    s.a += s.d;
    s.b = turn(s.b, 17) ^ s.c;
    s.d = turn(s.d, 21) ^ s.a;
    s.c = turn(s.c, 32);
}

extern "C" __global__ void __launch_bounds__(THREADS)
siphash_keys(const ulonglong2* __restrict__ keys, u64* __restrict__ hashes, u64 k0, u64 k1)
{
    const int first = blockIdx.x * (THREADS * EACH) + threadIdx.x;
    State s[EACH];
#pragma unroll
    for (int e = 0; e < EACH; ++e)
        s[e] = {k0 ^ 0x736f6d6570736575ull, k1 ^ 0x646f72616e646f6dull, k0 ^ 0x6c7967656e657261ull, k1 ^ 0x7465646279746573ull};
    auto absorb = [&](int e, u64 m) {
        s[e].d ^= m;
        round(s[e]);
        if (STRONG) round(s[e]);
        s[e].a ^= m;
    };
#pragma unroll
    for (int w = 0; w < WORDS / 2; ++w) {
        ulonglong2 m[EACH];
#pragma unroll
        for (int e = 0; e < EACH; ++e) m[e] = keys[(first + e * THREADS) * (WORDS / 2) + w];
#pragma unroll
        for (int e = 0; e < EACH; ++e) absorb(e, m[e].x);
#pragma unroll
        for (int e = 0; e < EACH; ++e) absorb(e, m[e].y);
    }
#pragma unroll
    for (int e = 0; e < EACH; ++e) {
        absorb(e, (u64)(WORDS * 8) << 56);
        s[e].c ^= 255;
#pragma unroll
        for (int r = 0; r < (STRONG ? 4 : 3); ++r) round(s[e]);
        hashes[first + e * THREADS] = s[e].a ^ s[e].b ^ s[e].c ^ s[e].d;
    }
}
