// Products of numbers of 512 bits, a pair a thread, by rows or by columns, limbs of 32 or 64 bits.
constexpr int COUNT = 262144;
#if LIMB == 64
typedef unsigned long long limb;
#else
typedef unsigned limb;
#endif
constexpr int L = 512 / LIMB;

__device__ __forceinline__ limb upper(limb a, limb b)
{
#if LIMB == 64
    return __umul64hi(a, b);
#else
    return __umulhi(a, b);
#endif
}

extern "C" __global__ void
bigint_mul_512_forms(const limb* __restrict__ x, const limb* __restrict__ y, limb* __restrict__ z)
{
    const int id = blockIdx.x * 128 + threadIdx.x;
    limb a[L], b[L], r[2 * L];
#pragma unroll
    for (int i = 0; i < L; ++i) {
        a[i] = x[INTERLEAVED ? i * COUNT + id : id * L + i];
        b[i] = y[INTERLEAVED ? i * COUNT + id : id * L + i];
    }
    if (COLUMNS) {
        limb c0 = 0, c1 = 0, c2 = 0;
#pragma unroll
        for (int k = 0; k < 2 * L - 1; ++k) {
#pragma unroll
            for (int i = 0; i < L; ++i)
                if (k - i >= 0 && k - i < L) {
                    const limb lo = a[i] * b[k - i >= 0 && k - i < L ? k - i : 0], hi = upper(a[i], b[k - i >= 0 && k - i < L ? k - i : 0]);
                    c0 += lo;
                    const limb carry = c0 < lo;
                    const limb h = hi + carry;
                    c1 += h;
                    c2 += c1 < h;
                }
            r[k] = c0;
            c0 = c1;
            c1 = c2;
            c2 = 0;
        }
        r[2 * L - 1] = c0;
    } else {
#pragma unroll
        for (int i = 0; i < 2 * L; ++i) r[i] = 0;
#pragma unroll
        for (int i = 0; i < L; ++i) {
            limb carry = 0;
#pragma unroll
            for (int j = 0; j < L; ++j) {
                const limb lo = a[i] * b[j];
                limb hi = upper(a[i], b[j]);
                const limb s = lo + carry;
                hi += s < lo;
                r[i + j] += s;
                hi += r[i + j] < s;
                carry = hi;
            }
            r[i + L] = carry;
        }
    }
#pragma unroll
    for (int i = 0; i < 2 * L; ++i) z[INTERLEAVED ? i * COUNT + id : id * 2 * L + i] = r[i];
}
