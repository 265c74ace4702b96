// Speck128/128, 32 rounds; a counter's two words are the block's number and one.
typedef unsigned long long u64;

__device__ void step(u64& x, u64& y, u64 key)
{
    x = ((x >> 8 | x << 56) + y) ^ key;
    y = (y << 3 | y >> 61) ^ x;
}

extern "C" __global__ void __launch_bounds__(THREADS)
speck_counter(const ulonglong2* __restrict__ plain, ulonglong2* __restrict__ cipher, u64 k0, u64 k1)
{
    const int first = blockIdx.x * (THREADS * EACH) + threadIdx.x;
    u64 a = k1, b = k0;
#if KEYS_SHARED
    __shared__ u64 keys[32];
    if (threadIdx.x == 0)
        for (int r = 0; r < 32; ++r) {
            keys[r] = b;
            step(a, b, r);
        }
    __syncthreads();
#endif
    u64 x[EACH], y[EACH];
#pragma unroll
    for (int e = 0; e < EACH; ++e) {
        x[e] = 1;
        y[e] = first + e * THREADS;
    }
#pragma unroll 8
    for (int r = 0; r < 32; ++r) {
#if KEYS_SHARED
        const u64 key = keys[r];
#else
        const u64 key = b;
        step(a, b, r);
#endif
#pragma unroll
        for (int e = 0; e < EACH; ++e) step(x[e], y[e], key);
    }
#pragma unroll
    for (int e = 0; e < EACH; ++e) {
        const ulonglong2 p = plain[first + e * THREADS];
        cipher[first + e * THREADS] = make_ulonglong2(p.x ^ x[e], p.y ^ y[e]);
    }
}
