// CRC-32 (reflected 0xEDB88320). Each thread reads CHUNK bytes, 16 at a time. METHOD 0 shifts bits, 1 looks up a byte
// at a time, 2 a word at a time in four tables, which the block computes at its start.
__device__ __forceinline__ unsigned eight_bits(unsigned c)
{
#pragma unroll
    for (int k = 0; k < 8; ++k) c = c & 1 ? c >> 1 ^ 0xEDB88320u : c >> 1;
    return c;
}

extern "C" __global__ void crc32_chunks(const uint4* __restrict__ message, unsigned* __restrict__ crc)
{
#if METHOD > 0
    __shared__ unsigned table[METHOD == 2 ? 4 : 1][256];
    for (int i = threadIdx.x; i < 256; i += THREADS) {
        unsigned c = eight_bits(i);
        table[0][i] = c;
#if METHOD == 2
        for (int s = 1; s < 4; ++s) table[s][i] = c = eight_bits(c & 255) ^ c >> 8;
#endif
    }
    __syncthreads();
#endif
    const int thread = blockIdx.x * THREADS + threadIdx.x;
    const uint4* mine = message + (size_t)thread * (CHUNK / 16);
    unsigned c = 0xFFFFFFFFu;
    for (int i = 0; i < CHUNK / 16; ++i) {
        const uint4 v = mine[i];
        const unsigned words[4] = {v.x, v.y, v.z, v.w};
#pragma unroll
        for (int w = 0; w < 4; ++w) {
#if METHOD == 2
            c ^= words[w];
            c = table[3][c & 255] ^ table[2][c >> 8 & 255] ^ table[1][c >> 16 & 255] ^ table[0][c >> 24];
#else
#pragma unroll
            for (int b = 0; b < 4; ++b) {
                const unsigned byte = words[w] >> (8 * b) & 255;
#if METHOD == 1
                c = table[0][(c ^ byte) & 255] ^ c >> 8;
#else
                c = eight_bits(c ^ byte);
#endif
            }
#endif
        }
    }
    crc[thread] = ~c;
}
