// SHA-1 of messages of BLOCKS blocks of 64 bytes, without padding. Layout 0: messages by words, 1: by 16 bytes, 2: word w of all together.
constexpr int MESSAGES = 262144 / BLOCKS, WORDS = BLOCKS * 16;

__device__ unsigned rotate(unsigned x, int n) { return __funnelshift_l(x, x, n); }

extern "C" __global__ void __launch_bounds__(THREADS)
sha1_messages(const unsigned* __restrict__ data, unsigned* __restrict__ digests)
{
    const int i = blockIdx.x * THREADS + threadIdx.x;
    unsigned h[5] = {0x67452301, 0xEFCDAB89, 0x98BADCFE, 0x10325476, 0xC3D2E1F0};
#pragma unroll 1
    for (int block = 0; block < BLOCKS; ++block) {
        unsigned w[16];
#if LAYOUT == 1
#pragma unroll
        for (int t = 0; t < 16; t += 4) {
            const uint4 q = *reinterpret_cast<const uint4*>(data + (size_t)i * WORDS + block * 16 + t);
            w[t] = q.x;
            w[t + 1] = q.y;
            w[t + 2] = q.z;
            w[t + 3] = q.w;
        }
#else
#pragma unroll
        for (int t = 0; t < 16; ++t)
            w[t] = LAYOUT == 0 ? data[(size_t)i * WORDS + block * 16 + t] : data[(size_t)(block * 16 + t) * MESSAGES + i];
#endif
#pragma unroll
        for (int t = 0; t < 16; ++t) w[t] = __byte_perm(w[t], 0, 0x0123);
        unsigned a = h[0], b = h[1], c = h[2], d = h[3], e = h[4];
#pragma unroll
        for (int t = 0; t < 80; ++t) {
            if (t >= 16) w[t % 16] = rotate(w[(t + 13) % 16] ^ w[(t + 8) % 16] ^ w[(t + 2) % 16] ^ w[t % 16], 1);
            const unsigned f = t < 20 ? (b & c) | (~b & d) : t < 40 || t >= 60 ? b ^ c ^ d : (b & c) | (b & d) | (c & d);
            const unsigned k = t < 20 ? 0x5A827999 : t < 40 ? 0x6ED9EBA1 : t < 60 ? 0x8F1BBCDC : 0xCA62C1D6;
            const unsigned n = rotate(a, 5) + f + e + k + w[t % 16];
            e = d;
            d = c;
            c = rotate(b, 30);
            b = a;
            a = n;
        }
        h[0] += a;
        h[1] += b;
        h[2] += c;
        h[3] += d;
        h[4] += e;
    }
#pragma unroll
    for (int t = 0; t < 5; ++t) digests[t * MESSAGES + i] = h[t];
}
