// AES-128 in counter mode by tables of 256 words in shared memory: four tables, or one whose words are turned. BLOCKS
// blocks of 16 bytes a thread. Tables and round keys are arguments.
__device__ __forceinline__ unsigned turn(unsigned v, int n) { return __funnelshift_l(v, v, n); }

extern "C" __global__ void __launch_bounds__(THREADS)
aes_ttable(const unsigned* __restrict__ tables, const unsigned char* __restrict__ sbox,
           const unsigned* __restrict__ keys, const uint4* __restrict__ text, uint4* __restrict__ out, unsigned nonce)
{
    __shared__ unsigned te[TABLES][256], rk[44];
    __shared__ unsigned char sb[256];
    for (int i = threadIdx.x; i < 256; i += THREADS) {
#pragma unroll
        for (int k = 0; k < TABLES; ++k) te[k][i] = turn(tables[i], 8 * k);
        sb[i] = sbox[i];
    }
    if (threadIdx.x < 44) rk[threadIdx.x] = keys[threadIdx.x];
    __syncthreads();
#if TABLES == 4
#define T(k, byte) te[k][byte]
#else
#define T(k, byte) turn(te[0][byte], 8 * k)
#endif
    for (int b = 0; b < BLOCKS; ++b) {
        const unsigned at = (blockIdx.x * BLOCKS + b) * THREADS + threadIdx.x;
        unsigned s0 = nonce ^ rk[0], s1 = rk[1], s2 = rk[2], s3 = at ^ rk[3];
#pragma unroll
        for (int r = 1; r < 10; ++r) {
            const unsigned t0 = T(0, s0 & 255) ^ T(1, s1 >> 8 & 255) ^ T(2, s2 >> 16 & 255) ^ T(3, s3 >> 24) ^ rk[4 * r];
            const unsigned t1 = T(0, s1 & 255) ^ T(1, s2 >> 8 & 255) ^ T(2, s3 >> 16 & 255) ^ T(3, s0 >> 24) ^ rk[4 * r + 1];
            const unsigned t2 = T(0, s2 & 255) ^ T(1, s3 >> 8 & 255) ^ T(2, s0 >> 16 & 255) ^ T(3, s1 >> 24) ^ rk[4 * r + 2];
            const unsigned t3 = T(0, s3 & 255) ^ T(1, s0 >> 8 & 255) ^ T(2, s1 >> 16 & 255) ^ T(3, s2 >> 24) ^ rk[4 * r + 3];
            s0 = t0;
            s1 = t1;
            s2 = t2;
            s3 = t3;
        }
        const unsigned u0 = sb[s0 & 255] | sb[s1 >> 8 & 255] << 8 | sb[s2 >> 16 & 255] << 16 | (unsigned)sb[s3 >> 24] << 24;
        const unsigned u1 = sb[s1 & 255] | sb[s2 >> 8 & 255] << 8 | sb[s3 >> 16 & 255] << 16 | (unsigned)sb[s0 >> 24] << 24;
        const unsigned u2 = sb[s2 & 255] | sb[s3 >> 8 & 255] << 8 | sb[s0 >> 16 & 255] << 16 | (unsigned)sb[s1 >> 24] << 24;
        const unsigned u3 = sb[s3 & 255] | sb[s0 >> 8 & 255] << 8 | sb[s1 >> 16 & 255] << 16 | (unsigned)sb[s2 >> 24] << 24;
        const uint4 p = text[at];
        out[at] = make_uint4(p.x ^ u0 ^ rk[40], p.y ^ u1 ^ rk[41], p.z ^ u2 ^ rk[42], p.w ^ u3 ^ rk[43]);
    }
}
