// Unkeyed BLAKE2s with digests of 32 bytes, the ten rounds unrolled.
__device__ void mix(unsigned& a, unsigned& b, unsigned& c, unsigned& d, unsigned x, unsigned y)
{
    a += b + x;
    d = __funnelshift_r(d ^ a, d ^ a, 16);
    c += d;
    b = __funnelshift_r(b ^ c, b ^ c, 12);
    a += b + y;
    d = __funnelshift_r(d ^ a, d ^ a, 8);
    c += d;
    b = __funnelshift_r(b ^ c, b ^ c, 7);
}

extern "C" __global__ void __launch_bounds__(THREADS)
blake2s_batch(const unsigned* __restrict__ messages, unsigned* __restrict__ digests, int count)
{
    constexpr unsigned char order[10][16] = {
        {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}, {14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3},
        {11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4}, {7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8},
        {9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13}, {2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9},
        {12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11}, {13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10},
        {6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5}, {10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0}};
    constexpr unsigned start[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    const int n = blockIdx.x * THREADS + threadIdx.x;
    unsigned h[8];
#pragma unroll
    for (int i = 0; i < 8; ++i) h[i] = start[i];
    h[0] ^= 0x01010020;
#pragma unroll 1
    for (int block = 0; block < WORDS / 16; ++block) {
        unsigned m[16], v[16];
        if (INTERLEAVED) {
#pragma unroll
            for (int i = 0; i < 16; ++i) m[i] = messages[(block * 16 + i) * count + n];
        } else {
#pragma unroll
            for (int i = 0; i < 16; i += 4) *(uint4*)&m[i] = *(const uint4*)(messages + n * WORDS + block * 16 + i);
        }
#pragma unroll
        for (int i = 0; i < 8; ++i) {
            v[i] = h[i];
            v[i + 8] = start[i];
        }
        v[12] ^= (block + 1) * 64;
        if (block == WORDS / 16 - 1) v[14] = ~v[14];
#pragma unroll
        for (int r = 0; r < 10; ++r) {
#pragma unroll
            for (int i = 0; i < 4; ++i) mix(v[i], v[i + 4], v[i + 8], v[i + 12], m[order[r][2 * i]], m[order[r][2 * i + 1]]);
#pragma unroll
            for (int i = 0; i < 4; ++i)
                mix(v[i], v[4 + (i + 1) % 4], v[8 + (i + 2) % 4], v[12 + (i + 3) % 4], m[order[r][8 + 2 * i]], m[order[r][9 + 2 * i]]);
        }
#pragma unroll
        for (int i = 0; i < 8; ++i) h[i] ^= v[i] ^ v[i + 8];
    }
#pragma unroll
    for (int i = 0; i < 8; ++i) digests[INTERLEAVED ? i * count + n : n * 8 + i] = h[i];
}
