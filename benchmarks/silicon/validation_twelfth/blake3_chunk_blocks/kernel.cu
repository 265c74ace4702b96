// BLAKE3 over blocks of 64 bytes of many chunks, one chunk a thread, words of a chunk together or interleaved, rounds unrolled or not.
constexpr int CHUNKS = 131072;
__constant__ unsigned start[8] = {0x6A09E667, 0xBB67AE85, 0x3C6EF372, 0xA54FF53A, 0x510E527F, 0x9B05688C, 0x1F83D9AB, 0x5BE0CD19};

__device__ __forceinline__ void mix(unsigned& a, unsigned& b, unsigned& c, unsigned& d, unsigned x, unsigned y)
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
blake3_chunk_blocks(const uint4* __restrict__ message, unsigned* __restrict__ digest)
{
    constexpr int U = UNROLL;
    const int id = blockIdx.x * THREADS + threadIdx.x;
    unsigned h[8];
#pragma unroll
    for (int i = 0; i < 8; ++i) h[i] = start[i];
#pragma unroll 1
    for (int block = 0; block < BLOCKS; ++block) {
        unsigned m[16];
#pragma unroll
        for (int i = 0; i < 4; ++i) {
            const uint4 p = INTERLEAVED ? message[(block * 4 + i) * CHUNKS + id] : message[(size_t)id * (BLOCKS * 4) + block * 4 + i];
            m[4 * i] = p.x;
            m[4 * i + 1] = p.y;
            m[4 * i + 2] = p.z;
            m[4 * i + 3] = p.w;
        }
        unsigned v[16];
#pragma unroll
        for (int i = 0; i < 8; ++i) v[i] = h[i];
#pragma unroll
        for (int i = 0; i < 4; ++i) v[8 + i] = start[i];
        v[12] = id;
        v[13] = 0;
        v[14] = 64;
        v[15] = (block == 0) | (block == BLOCKS - 1) << 1;
#pragma unroll U
        for (int r = 0; r < 7; ++r) {
            mix(v[0], v[4], v[8], v[12], m[0], m[1]);
            mix(v[1], v[5], v[9], v[13], m[2], m[3]);
            mix(v[2], v[6], v[10], v[14], m[4], m[5]);
            mix(v[3], v[7], v[11], v[15], m[6], m[7]);
            mix(v[0], v[5], v[10], v[15], m[8], m[9]);
            mix(v[1], v[6], v[11], v[12], m[10], m[11]);
            mix(v[2], v[7], v[8], v[13], m[12], m[13]);
            mix(v[3], v[4], v[9], v[14], m[14], m[15]);
            const int order[16] = {2, 6, 3, 10, 7, 0, 4, 13, 1, 11, 12, 5, 9, 14, 15, 8};
            unsigned n[16];
#pragma unroll
            for (int i = 0; i < 16; ++i) n[i] = m[order[i]];
#pragma unroll
            for (int i = 0; i < 16; ++i) m[i] = n[i];
        }
#pragma unroll
        for (int i = 0; i < 8; ++i) h[i] = v[i] ^ v[i + 8];
    }
#pragma unroll
    for (int i = 0; i < 8; ++i) digest[i * CHUNKS + id] = h[i];
}
