// The sines of the rounds are written into the code, or read from constant memory by a loop over four rounds of 16.
__constant__ unsigned sines[64] = {
    0xd76aa478, 0xe8c7b756, 0x242070db, 0xc1bdceee, 0xf57c0faf, 0x4787c62a, 0xa8304613, 0xfd469501,
    0x698098d8, 0x8b44f7af, 0xffff5bb1, 0x895cd7be, 0x6b901122, 0xfd987193, 0xa679438e, 0x49b40821,
    0xf61e2562, 0xc040b340, 0x265e5a51, 0xe9b6c7aa, 0xd62f105d, 0x02441453, 0xd8a1e681, 0xe7d3fbc8,
    0x21e1cde6, 0xc33707d6, 0xf4d50d87, 0x455a14ed, 0xa9e3e905, 0xfcefa3f8, 0x676f02d9, 0x8d2a4c8a,
    0xfffa3942, 0x8771f681, 0x6d9d6122, 0xfde5380c, 0xa4beea44, 0x4bdecfa9, 0xf6bb4b60, 0xbebfbc70,
    0x289b7ec6, 0xeaa127fa, 0xd4ef3085, 0x04881d05, 0xd9d4d039, 0xe6db99e5, 0x1fa27cf8, 0xc4ac5665,
    0xf4292244, 0x432aff97, 0xab9423a7, 0xfc93a039, 0x655b59c3, 0x8f0ccc92, 0xffeff47d, 0x85845dd1,
    0x6fa87e4f, 0xfe2ce6e0, 0xa3014314, 0x4e0811a1, 0xf7537e82, 0xbd3af235, 0x2ad7d2bb, 0xeb86d391};
__constant__ unsigned char turns[16] = {7, 12, 17, 22, 5, 9, 14, 20, 4, 11, 16, 23, 6, 10, 15, 21};

__device__ unsigned mix(int round, unsigned b, unsigned c, unsigned d)
{
    return round == 0 ? (b & c) | (~b & d) : round == 1 ? (d & b) | (~d & c) : round == 2 ? b ^ c ^ d : c ^ (b | ~d);
}

extern "C" __global__ void __launch_bounds__(128)
md5_candidates(const unsigned* __restrict__ digests, unsigned* __restrict__ found, unsigned first)
{
#if TARGETS > 1
    __shared__ unsigned wanted[TARGETS];
    if (threadIdx.x < TARGETS) wanted[threadIdx.x] = digests[threadIdx.x];
    __syncthreads();
#endif
    unsigned a[EACH], b[EACH], c[EACH], d[EACH], w0[EACH], w1[EACH];
#pragma unroll
    for (int e = 0; e < EACH; ++e) {
        unsigned n = first + (blockIdx.x * EACH + e) * 128 + threadIdx.x;
        w0[e] = w1[e] = 0;
#pragma unroll
        for (int k = 0; k < 4; ++k) {
            w0[e] |= (97 + n % 26) << 8 * k;
            n /= 26;
        }
#pragma unroll
        for (int k = 0; k < 4; ++k) {
            w1[e] |= (97 + n % 26) << 8 * k;
            n /= 26;
        }
        a[e] = 0x67452301;
        b[e] = 0xefcdab89;
        c[e] = 0x98badcfe;
        d[e] = 0x10325476;
    }
#if UNROLLED
    constexpr unsigned K[64] = {
        0xd76aa478, 0xe8c7b756, 0x242070db, 0xc1bdceee, 0xf57c0faf, 0x4787c62a, 0xa8304613, 0xfd469501,
        0x698098d8, 0x8b44f7af, 0xffff5bb1, 0x895cd7be, 0x6b901122, 0xfd987193, 0xa679438e, 0x49b40821,
        0xf61e2562, 0xc040b340, 0x265e5a51, 0xe9b6c7aa, 0xd62f105d, 0x02441453, 0xd8a1e681, 0xe7d3fbc8,
        0x21e1cde6, 0xc33707d6, 0xf4d50d87, 0x455a14ed, 0xa9e3e905, 0xfcefa3f8, 0x676f02d9, 0x8d2a4c8a,
        0xfffa3942, 0x8771f681, 0x6d9d6122, 0xfde5380c, 0xa4beea44, 0x4bdecfa9, 0xf6bb4b60, 0xbebfbc70,
        0x289b7ec6, 0xeaa127fa, 0xd4ef3085, 0x04881d05, 0xd9d4d039, 0xe6db99e5, 0x1fa27cf8, 0xc4ac5665,
        0xf4292244, 0x432aff97, 0xab9423a7, 0xfc93a039, 0x655b59c3, 0x8f0ccc92, 0xffeff47d, 0x85845dd1,
        0x6fa87e4f, 0xfe2ce6e0, 0xa3014314, 0x4e0811a1, 0xf7537e82, 0xbd3af235, 0x2ad7d2bb, 0xeb86d391};
    constexpr int T[16] = {7, 12, 17, 22, 5, 9, 14, 20, 4, 11, 16, 23, 6, 10, 15, 21};
#pragma unroll
#else
    const unsigned* K = sines;
    const unsigned char* T = turns;
#pragma unroll 4
#endif
    for (int i = 0; i < 64; ++i) {
        const int round = i / 16;
        const int word = (round == 0 ? i : round == 1 ? 5 * i + 1 : round == 2 ? 3 * i + 5 : 7 * i) % 16;
#pragma unroll
        for (int e = 0; e < EACH; ++e) {
            const unsigned w = word == 0 ? w0[e] : word == 1 ? w1[e] : word == 2 ? 128u : word == 14 ? 64u : 0u;
            const unsigned sum = a[e] + mix(round, b[e], c[e], d[e]) + K[i] + w;
            a[e] = d[e];
            d[e] = c[e];
            c[e] = b[e];
            b[e] += __funnelshift_l(sum, sum, T[round * 4 + i % 4]);
        }
    }
#pragma unroll
    for (int e = 0; e < EACH; ++e) {
        const unsigned digest = a[e] + 0x67452301;
#if TARGETS > 1
#pragma unroll 8
        for (int t = 0; t < TARGETS; ++t)
            if (digest == wanted[t]) found[t] = w0[e];
#else
        if (digest == digests[0]) found[0] = w0[e];
#endif
    }
}
