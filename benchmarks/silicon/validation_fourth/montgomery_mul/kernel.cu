// Chains of modular products of numbers of 256 or 384 bits in Montgomery form, a chain a thread, limbs of 32 bits.
// Numbers lie one after the other or limb by limb.
constexpr int REPEATS = 8;

__device__ constexpr unsigned modulus(int i)
{
    return i == 0 ? 0xfffffc2fu : i == 1 ? 0xfffffffeu : i == LIMBS - 2 ? 0xfffff1d3u : 0xffffffffu;
}

__device__ constexpr unsigned negative_inverse()
{
    unsigned inverse = modulus(0);
    for (int i = 0; i < 5; ++i) inverse *= 2 - modulus(0) * inverse;
    return 0u - inverse;
}

extern "C" __global__ void __launch_bounds__(THREADS)
montgomery_mul(const unsigned* __restrict__ x, const unsigned* __restrict__ y, unsigned* __restrict__ out, int count)
{
    const int n = blockIdx.x * THREADS + threadIdx.x;
    constexpr unsigned INVERSE = negative_inverse();
    unsigned a[LIMBS], b[LIMBS];
    auto place = [&](int i) { return SOA ? i * count + n : n * LIMBS + i; };
#pragma unroll
    for (int i = 0; i < LIMBS; ++i) {
        a[i] = x[place(i)];
        b[i] = y[place(i)];
    }
#pragma unroll 1
    for (int repeat = 0; repeat < REPEATS; ++repeat) {
        unsigned t[LIMBS + 2] = {};
#pragma unroll
        for (int i = 0; i < LIMBS; ++i) {
            unsigned long long carry = 0;
#pragma unroll
            for (int j = 0; j < LIMBS; ++j) {
                const unsigned long long s = (unsigned long long)a[j] * b[i] + t[j] + carry;
                t[j] = (unsigned)s;
                carry = s >> 32;
            }
            unsigned long long s = (unsigned long long)t[LIMBS] + carry;
            t[LIMBS] = (unsigned)s;
            t[LIMBS + 1] = (unsigned)(s >> 32);
            const unsigned m = t[0] * INVERSE;
            s = (unsigned long long)m * modulus(0) + t[0];
            carry = s >> 32;
#pragma unroll
            for (int j = 1; j < LIMBS; ++j) {
                s = (unsigned long long)m * modulus(j) + t[j] + carry;
                t[j - 1] = (unsigned)s;
                carry = s >> 32;
            }
            s = (unsigned long long)t[LIMBS] + carry;
            t[LIMBS - 1] = (unsigned)s;
            t[LIMBS] = t[LIMBS + 1] + (unsigned)(s >> 32);
        }
        unsigned r[LIMBS], borrow = 0;
#pragma unroll
        for (int j = 0; j < LIMBS; ++j) {
            const unsigned long long s = (unsigned long long)t[j] - modulus(j) - borrow;
            r[j] = (unsigned)s;
            borrow = (unsigned)(s >> 32) & 1;
        }
        const bool keep = t[LIMBS] == 0 && borrow;
#pragma unroll
        for (int j = 0; j < LIMBS; ++j) a[j] = keep ? t[j] : r[j];
    }
#pragma unroll
    for (int i = 0; i < LIMBS; ++i) out[place(i)] = a[i];
}
