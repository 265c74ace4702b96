// Salsa20: each thread makes a block of the stream and adds it to its data by exclusive or.
__device__ __forceinline__ unsigned rotl(unsigned v, int n)
{
    return __funnelshift_l(v, v, n);
}

extern "C" __global__ void __launch_bounds__(THREADS)
salsa20_core_stream(const unsigned* __restrict__ key, const unsigned* __restrict__ data, unsigned* __restrict__ out)
{
    constexpr int U = UNROLL;
    __shared__ unsigned kept[STAGED ? THREADS * 17 : 1];
    const unsigned block = blockIdx.x * THREADS + threadIdx.x;
    unsigned s[16] = {0x61707865u, key[0], key[1], key[2], key[3], 0x3320646eu, 0x9e3779b9u, 0x7f4a7c15u, block, 0u, 0x79622d32u, key[4], key[5], key[6], key[7], 0x6b206574u};
    unsigned x[16];
#pragma unroll
    for (int i = 0; i < 16; ++i) x[i] = s[i];
#pragma unroll U
    for (int r = 0; r < ROUNDS; r += 2) {
#pragma unroll
        for (int c = 0; c < 4; ++c) {
            unsigned &a = x[5 * c % 16], &b = x[(5 * c + 4) % 16], &d = x[(5 * c + 8) % 16], &e = x[(5 * c + 12) % 16];
            b ^= rotl(a + e, 7);
            d ^= rotl(b + a, 9);
            e ^= rotl(d + b, 13);
            a ^= rotl(e + d, 18);
        }
#pragma unroll
        for (int c = 0; c < 4; ++c) {
            unsigned &a = x[5 * c], &b = x[4 * c + (c + 1) % 4], &d = x[4 * c + (c + 2) % 4], &e = x[4 * c + (c + 3) % 4];
            b ^= rotl(a + e, 7);
            d ^= rotl(b + a, 9);
            e ^= rotl(d + b, 13);
            a ^= rotl(e + d, 18);
        }
    }
    if (STAGED) {
#pragma unroll
        for (int i = 0; i < 16; ++i) kept[STAGED ? threadIdx.x * 17 + i : 0] = x[i] + s[i];
        __syncthreads();
        const size_t base = (size_t)blockIdx.x * THREADS * 16;
#pragma unroll
        for (int i = 0; i < 16; ++i) {
            const int at = i * THREADS + threadIdx.x;
            out[base + at] = data[base + at] ^ kept[STAGED ? at / 16 * 17 + at % 16 : 0];
        }
    } else {
        const uint4* from = reinterpret_cast<const uint4*>(data) + (size_t)block * 4;
        uint4* to = reinterpret_cast<uint4*>(out) + (size_t)block * 4;
#pragma unroll
        for (int i = 0; i < 4; ++i) {
            uint4 v = from[i];
            v.x ^= x[4 * i] + s[4 * i];
            v.y ^= x[4 * i + 1] + s[4 * i + 1];
            v.z ^= x[4 * i + 2] + s[4 * i + 2];
            v.w ^= x[4 * i + 3] + s[4 * i + 3];
            to[i] = v;
        }
    }
}
