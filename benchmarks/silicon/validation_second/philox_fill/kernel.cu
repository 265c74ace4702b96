// Counter-based random numbers: ROUNDS rounds of Philox 4x32, turned into uniform floats or, by Box and Muller's
// transform, into normal ones.
extern "C" __global__ void philox_fill(float4* __restrict__ numbers, unsigned seed)
{
#pragma unroll
    for (int n = 0; n < ITEMS; ++n) {
        const unsigned at = (blockIdx.x * ITEMS + n) * THREADS + threadIdx.x;
        uint4 c = make_uint4(at, 0, 0, 0);
        unsigned k0 = seed, k1 = seed ^ 0xDEADBEEF;
#pragma unroll
        for (int r = 0; r < ROUNDS; ++r) {
            const unsigned hi0 = __umulhi(0xD2511F53u, c.x), lo0 = 0xD2511F53u * c.x;
            const unsigned hi1 = __umulhi(0xCD9E8D57u, c.z), lo1 = 0xCD9E8D57u * c.z;
            c = make_uint4(hi1 ^ c.y ^ k0, lo1, hi0 ^ c.w ^ k1, lo0);
            k0 += 0x9E3779B9u;
            k1 += 0xBB67AE85u;
        }
        float4 u = make_float4(c.x * 2.3283064e-10f, c.y * 2.3283064e-10f, c.z * 2.3283064e-10f, c.w * 2.3283064e-10f);
#if NORMAL
        const float r0 = sqrtf(-2.0f * logf(u.x + 1.0e-10f)), r1 = sqrtf(-2.0f * logf(u.z + 1.0e-10f));
        float s0, c0, s1, c1;
        sincospif(2.0f * u.y, &s0, &c0);
        sincospif(2.0f * u.w, &s1, &c1);
        u = make_float4(r0 * s0, r0 * c0, r1 * s1, r1 * c1);
#endif
        numbers[at] = u;
    }
}
