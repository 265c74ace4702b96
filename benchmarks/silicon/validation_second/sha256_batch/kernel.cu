// SHA-256 of messages of 64 bytes, words of all messages interleaved. The schedule is a ring of sixteen words; with
// UNROLL 16 the rounds are a loop of four times sixteen.
__constant__ unsigned K256[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

__device__ __forceinline__ unsigned rotr(unsigned x, int n) { return __funnelshift_r(x, x, n); }

extern "C" __global__ void sha256_batch(const unsigned* __restrict__ text, unsigned* __restrict__ digest)
{
    constexpr int COUNT = 262144, unroll = UNROLL / 16;
    for (int q = 0; q < MESSAGES; ++q) {
        const int at = (blockIdx.x * MESSAGES + q) * THREADS + threadIdx.x;
        unsigned w[16];
#pragma unroll
        for (int i = 0; i < 16; ++i) w[i] = text[i * COUNT + at];
        const unsigned start[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                   0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
        unsigned a = start[0], b = start[1], c = start[2], d = start[3], e = start[4], f = start[5], g = start[6],
                 h = start[7];
#pragma unroll unroll
        for (int r = 0; r < 64; r += 16) {
#pragma unroll
            for (int i = 0; i < 16; ++i) {
                if (r > 0) {
                    const unsigned x = w[(i + 1) & 15], y = w[(i + 14) & 15];
                    w[i] += (rotr(x, 7) ^ rotr(x, 18) ^ x >> 3) + (rotr(y, 17) ^ rotr(y, 19) ^ y >> 10);
                    w[i] += w[(i + 9) & 15];
                }
                const unsigned t1 = h + (rotr(e, 6) ^ rotr(e, 11) ^ rotr(e, 25)) + ((e & f) ^ (~e & g))
                                    + K256[r + i] + w[i];
                const unsigned t2 = (rotr(a, 2) ^ rotr(a, 13) ^ rotr(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
                h = g; g = f; f = e; e = d + t1;
                d = c; c = b; b = a; a = t1 + t2;
            }
        }
        const unsigned end[8] = {a, b, c, d, e, f, g, h};
#pragma unroll
        for (int i = 0; i < 8; ++i) digest[i * COUNT + at] = start[i] + end[i];
    }
}
