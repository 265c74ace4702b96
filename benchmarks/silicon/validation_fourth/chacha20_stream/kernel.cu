// ChaCha in counter mode over a buffer, BLOCKS blocks of 64 bytes a thread. The key stream goes to memory as each thread
// has it, or through shared memory so that a warp's accesses are side by side.
constexpr int WARPS = THREADS / 32;

__device__ __forceinline__ unsigned rotate(unsigned x, int r) { return __funnelshift_l(x, x, r); }

__device__ __forceinline__ void quarter(unsigned& a, unsigned& b, unsigned& c, unsigned& d)
{
    a += b;
    d = rotate(d ^ a, 16);
    c += d;
    b = rotate(b ^ c, 12);
    a += b;
    d = rotate(d ^ a, 8);
    c += d;
    b = rotate(b ^ c, 7);
}

extern "C" __global__ void __launch_bounds__(THREADS)
chacha20_stream(const unsigned* __restrict__ key, const unsigned* __restrict__ plain, unsigned* __restrict__ cipher)
{
    const int t = threadIdx.x, lane = t % 32, warp = t / 32;
    unsigned start[16] = {0x61707865u, 0x3320646eu, 0x79622d32u, 0x6b206574u};
#pragma unroll
    for (int i = 0; i < 8; ++i) start[4 + i] = key[i];
    start[13] = key[8];
    start[14] = key[9];
    start[15] = key[10];
    unsigned x[BLOCKS][16];
    const int first = blockIdx.x * THREADS * BLOCKS + warp * 32 * BLOCKS + lane;
#pragma unroll
    for (int b = 0; b < BLOCKS; ++b)
#pragma unroll
        for (int i = 0; i < 16; ++i) x[b][i] = i == 12 ? first + b * 32 : start[i];
#pragma unroll 2
    for (int round = 0; round < ROUNDS; round += 2)
#pragma unroll
        for (int b = 0; b < BLOCKS; ++b) {
            unsigned(&s)[16] = x[b];
            quarter(s[0], s[4], s[8], s[12]);
            quarter(s[1], s[5], s[9], s[13]);
            quarter(s[2], s[6], s[10], s[14]);
            quarter(s[3], s[7], s[11], s[15]);
            quarter(s[0], s[5], s[10], s[15]);
            quarter(s[1], s[6], s[11], s[12]);
            quarter(s[2], s[7], s[8], s[13]);
            quarter(s[3], s[4], s[9], s[14]);
        }
#pragma unroll
    for (int b = 0; b < BLOCKS; ++b) {
#pragma unroll
        for (int i = 0; i < 16; ++i) x[b][i] += i == 12 ? first + b * 32 : start[i];
#if STAGED
        __shared__ unsigned stage[WARPS][32 * 17];
        unsigned* own = stage[warp];
        __syncwarp();
#pragma unroll
        for (int i = 0; i < 16; ++i) own[lane * 17 + i] = x[b][i];
        __syncwarp();
        const size_t base = (size_t)(first - lane + b * 32) * 16;
#pragma unroll
        for (int i = 0; i < 16; ++i) {
            const int word = i * 32 + lane;
            cipher[base + word] = plain[base + word] ^ own[word / 16 * 17 + word % 16];
        }
#else
        const uint4* from = reinterpret_cast<const uint4*>(plain) + (size_t)(first + b * 32) * 4;
        uint4* to = reinterpret_cast<uint4*>(cipher) + (size_t)(first + b * 32) * 4;
#pragma unroll
        for (int i = 0; i < 4; ++i) {
            uint4 p = from[i];
            p.x ^= x[b][4 * i];
            p.y ^= x[b][4 * i + 1];
            p.z ^= x[b][4 * i + 2];
            p.w ^= x[b][4 * i + 3];
            to[i] = p;
        }
#endif
    }
}
