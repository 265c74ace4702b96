// A pass of a number-theoretic transform through memory, radix 2 or two fused levels, modulo a prime of 30 bits: by the
// 64-bit remainder of a modulus known at run time, or by Barrett's method.
constexpr unsigned P = 998244353u;
constexpr unsigned long long MU = ~0ull / P;

__device__ __forceinline__ unsigned multiply(unsigned a, unsigned b, unsigned p)
{
    const unsigned long long product = (unsigned long long)a * b;
#if BARRETT
    const unsigned r = (unsigned)(product - __umul64hi(product, MU) * P);
    return r >= P ? r - P : r;
#else
    return (unsigned)(product % p);
#endif
}

__device__ __forceinline__ void butterfly(unsigned& a, unsigned& b, unsigned w, unsigned p)
{
    const unsigned t = multiply(b, w, p), u = a;
    a = u + t >= p ? u + t - p : u + t;
    b = u >= t ? u - t : u + p - t;
}

extern "C" __global__ void ntt_butterfly(const unsigned* __restrict__ x, const unsigned* __restrict__ twiddles,
                                         unsigned* __restrict__ y, unsigned p)
{
    constexpr int HALF = 1 << LOG_HALF;
    const int i = blockIdx.x * THREADS + threadIdx.x, j = i & (HALF - 1);
#if RADIX == 2
    const int at = 2 * (i - j) + j;
    unsigned a = x[at], b = x[at + HALF];
    butterfly(a, b, twiddles[HALF + j], p);
    y[at] = a;
    y[at + HALF] = b;
#else
    const int at = 4 * (i - j) + j;
    unsigned a = x[at], b = x[at + HALF], c = x[at + 2 * HALF], d = x[at + 3 * HALF];
    const unsigned w = twiddles[HALF + j];
    butterfly(a, b, w, p);
    butterfly(c, d, w, p);
    butterfly(a, c, twiddles[2 * HALF + j], p);
    butterfly(b, d, twiddles[3 * HALF + j], p);
    y[at] = a;
    y[at + HALF] = b;
    y[at + 2 * HALF] = c;
    y[at + 3 * HALF] = d;
#endif
}
