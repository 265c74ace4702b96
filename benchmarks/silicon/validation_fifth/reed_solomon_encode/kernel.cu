// Erasure code with coefficients 17 i + 29 j + 3; WORDS words of four bytes a thread.
constexpr int LENGTH = 524288, PARITY = 4;

struct alignas(WORDS * 4) Pack { unsigned w[WORDS]; };

__host__ __device__ constexpr unsigned coefficient(int i, int j) { return (17 * i + 29 * j + 3) & 255; }

__device__ unsigned doubled(unsigned x)
{
    return (x & 0x7f7f7f7fu) << 1 ^ (x >> 7 & 0x01010101u) * 0x1du;
}

extern "C" __global__ void __launch_bounds__(256)
reed_solomon_encode(const unsigned* __restrict__ shards, unsigned* __restrict__ parity)
{
    const int at = blockIdx.x * 256 + threadIdx.x;
#if TABLES
    __shared__ unsigned products[DATA][32];  // of the four coefficients of a shard, with 16 low and 16 high half bytes
    for (int i = threadIdx.x; i < DATA * 32; i += 256) {
        const int j = i / 32;
        unsigned x = i % 16 << (i & 16 ? 4 : 0), word = 0;
        for (int bit = 0; bit < 8; ++bit) {
            for (int p = 0; p < PARITY; ++p)
                if (coefficient(p, j) >> bit & 1) word ^= x << 8 * p;
            x = doubled(x);
        }
        products[j][i % 32] = word;
    }
    __syncthreads();
#endif
    Pack sum[PARITY] = {};
#pragma unroll
    for (int j = 0; j < DATA; ++j) {
        Pack p = ((const Pack*)(shards + j * LENGTH))[at];
#if TABLES
#pragma unroll
        for (int w = 0; w < WORDS; ++w)
#pragma unroll
            for (int byte = 0; byte < 4; ++byte) {
                const unsigned x = p.w[w] >> 8 * byte;
                const unsigned word = products[j][x & 15] ^ products[j][16 + (x >> 4 & 15)];
#pragma unroll
                for (int i = 0; i < PARITY; ++i) sum[i].w[w] ^= (word >> 8 * i & 255) << 8 * byte;
            }
#else
#pragma unroll
        for (int bit = 0; bit < 8; ++bit)
#pragma unroll
            for (int w = 0; w < WORDS; ++w) {
#pragma unroll
                for (int i = 0; i < PARITY; ++i)
                    if (coefficient(i, j) >> bit & 1) sum[i].w[w] ^= p.w[w];
                p.w[w] = doubled(p.w[w]);
            }
#endif
    }
#pragma unroll
    for (int i = 0; i < PARITY; ++i) ((Pack*)(parity + i * LENGTH))[at] = sum[i];
}
