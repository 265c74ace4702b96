// A number is ten words of 26 bits with 65,536 numbers side by side.
typedef unsigned long long u64;

__device__ __forceinline__ void square51(u64* f)
{
    constexpr u64 MASK = (1ull << 51) - 1;
    u64 low[5] = {}, high[5] = {};
#pragma unroll
    for (int i = 0; i < 5; ++i)
#pragma unroll
        for (int j = JOINED ? i : 0; j < 5; ++j) {
            const u64 p = JOINED && i != j ? 2 * f[i] : f[i], q = i + j >= 5 ? 19 * f[j] : f[j];
            const u64 add = p * q, now = low[(i + j) % 5] + add;
            high[(i + j) % 5] += __umul64hi(p, q) + (now < add);
            low[(i + j) % 5] = now;
        }
    u64 carry = 0;
#pragma unroll
    for (int i = 0; i < 5; ++i) {
        const u64 now = low[i] + carry;
        const u64 top = high[i] + (now < carry);
        f[i] = now & MASK;
        carry = top << 13 | now >> 51;
    }
    f[0] += 19 * carry;
    f[1] += f[0] >> 51;
    f[0] &= MASK;
}

__device__ __forceinline__ void square26(unsigned* f)
{
    constexpr unsigned MASK = (1u << 26) - 1;
    unsigned wide[20];
    u64 carry = 0;
#pragma unroll
    for (int k = 0; k < 20; ++k) {
        u64 sum = carry;
#pragma unroll
        for (int i = 0; i < 10; ++i) {
            const int j = k - i;
            if (j < 0 || j > 9 || (JOINED && j < i)) continue;
            sum += (u64)(JOINED && i != j ? 2 * f[i] : f[i]) * f[j];
        }
        wide[k] = (unsigned)sum & MASK;
        carry = sum >> 26;
    }
    u64 over = 0;  // 2^260 is 608
#pragma unroll
    for (int i = 0; i < 10; ++i) {
        over += wide[i] + (u64)wide[i + 10] * 608;
        f[i] = (unsigned)over & MASK;
        over >>= 26;
    }
    over = f[0] + over * 608;
    f[0] = (unsigned)over & MASK;
    f[1] += (unsigned)(over >> 26);
}

extern "C" __global__ void __launch_bounds__(THREADS)
field25519_square_chain(const unsigned* __restrict__ x, unsigned* __restrict__ y)
{
    const int id = blockIdx.x * THREADS + threadIdx.x;
    unsigned w[10];
#pragma unroll
    for (int i = 0; i < 10; ++i) w[i] = x[i * 65536 + id];
    if (LIMBS == 10) {
#pragma unroll 1
        for (int k = 0; k < TIMES; ++k) square26(w);
    } else {  // of each pair of words the lowest bit is dropped
        u64 f[5];
#pragma unroll
        for (int i = 0; i < 5; ++i) f[i] = (u64)w[2 * i + 1] << 25 | w[2 * i] >> 1;
#pragma unroll 1
        for (int k = 0; k < TIMES; ++k) square51(f);
#pragma unroll
        for (int i = 0; i < 5; ++i) {
            w[2 * i] = (unsigned)f[i] & 67108863;
            w[2 * i + 1] = (unsigned)(f[i] >> 26);
        }
    }
#pragma unroll
    for (int i = 0; i < 10; ++i) y[i * 65536 + id] = w[i];
}
