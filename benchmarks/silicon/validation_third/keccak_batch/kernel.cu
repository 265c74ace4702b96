// SHA3-256 of messages of BLOCKS blocks of 136 bytes, a message a thread, the state of 25 words in registers. The
// rounds are rolled up or unrolled by UNROLL.
typedef unsigned long long u64;

__constant__ u64 RC[24] = {
    0x0000000000000001ull, 0x0000000000008082ull, 0x800000000000808Aull, 0x8000000080008000ull, 0x000000000000808Bull,
    0x0000000080000001ull, 0x8000000080008081ull, 0x8000000000008009ull, 0x000000000000008Aull, 0x0000000000000088ull,
    0x0000000080008009ull, 0x000000008000000Aull, 0x000000008000808Bull, 0x800000000000008Bull, 0x8000000000008089ull,
    0x8000000000008003ull, 0x8000000000008002ull, 0x8000000000000080ull, 0x000000000000800Aull, 0x800000008000000Aull,
    0x8000000080008081ull, 0x8000000000008080ull, 0x0000000080000001ull, 0x8000000080008008ull};

__device__ __forceinline__ u64 rot(u64 v, int n) { return n ? v << n | v >> (64 - n) : v; }

extern "C" __global__ void keccak_batch(const u64* __restrict__ messages, u64* __restrict__ digests, int count)
{
    const int t = blockIdx.x * THREADS + threadIdx.x;
    if (t >= count) return;
    constexpr int turn[24] = {1, 3, 6, 10, 15, 21, 28, 36, 45, 55, 2, 14, 27, 41, 56, 8, 25, 43, 62, 18, 39, 61, 20, 44};
    constexpr int lane[24] = {10, 7, 11, 17, 18, 3, 5, 16, 8, 21, 24, 4, 15, 23, 19, 13, 12, 2, 20, 14, 22, 9, 6, 1};
    u64 a[25] = {};
    for (int b = 0; b < BLOCKS; ++b) {
#pragma unroll
        for (int i = 0; i < 17; ++i) a[i] ^= messages[(size_t)(b * 17 + i) * count + t];
        if (b == BLOCKS - 1) a[16] ^= 0x8000000000000000ull;
        constexpr int U = UNROLL;
#pragma unroll U
        for (int r = 0; r < 24; ++r) {
            u64 c[5];
#pragma unroll
            for (int i = 0; i < 5; ++i) c[i] = a[i] ^ a[i + 5] ^ a[i + 10] ^ a[i + 15] ^ a[i + 20];
#pragma unroll
            for (int i = 0; i < 5; ++i) {
                const u64 d = c[(i + 4) % 5] ^ rot(c[(i + 1) % 5], 1);
#pragma unroll
                for (int j = 0; j < 25; j += 5) a[j + i] ^= d;
            }
            u64 moved = a[1];
#pragma unroll
            for (int i = 0; i < 24; ++i) {
                const u64 keep = a[lane[i]];
                a[lane[i]] = rot(moved, turn[i]);
                moved = keep;
            }
#pragma unroll
            for (int j = 0; j < 25; j += 5) {
#pragma unroll
                for (int i = 0; i < 5; ++i) c[i] = a[j + i];
#pragma unroll
                for (int i = 0; i < 5; ++i) a[j + i] = c[i] ^ (~c[(i + 1) % 5] & c[(i + 2) % 5]);
            }
            a[0] ^= RC[r];
        }
    }
#pragma unroll
    for (int i = 0; i < 4; ++i) digests[(size_t)i * count + t] = a[i];
}
