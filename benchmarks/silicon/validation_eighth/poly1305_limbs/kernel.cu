// 33.6 MB of messages; a key of 16 bytes a message; the sum is not brought below the prime.
typedef unsigned long long Wide;
constexpr int COUNT = 2097152 / BLOCKS;

__device__ __forceinline__ uint4 block_of(const uint4* text, int i, int k) { return text[INTERLEAVED ? k * COUNT + i : i * BLOCKS + k]; }

extern "C" __global__ void __launch_bounds__(THREADS)
poly1305_limbs(const uint4* __restrict__ text, const uint4* __restrict__ keys, uint4* __restrict__ tags)
{
    const int i = blockIdx.x * THREADS + threadIdx.x;
    uint4 key = keys[i];
    key.x &= 0x0fffffffu, key.y &= 0x0ffffffcu, key.z &= 0x0ffffffcu, key.w &= 0x0ffffffcu;
    uint4 tag;
    if (LIMBS == 26) {
        const unsigned m = 0x3ffffffu;
        const unsigned r0 = key.x & m, r1 = (key.x >> 26 | key.y << 6) & m, r2 = (key.y >> 20 | key.z << 12) & m;
        const unsigned r3 = (key.z >> 14 | key.w << 18) & m, r4 = key.w >> 8;
        const unsigned s1 = r1 * 5, s2 = r2 * 5, s3 = r3 * 5, s4 = r4 * 5;
        unsigned h0 = 0, h1 = 0, h2 = 0, h3 = 0, h4 = 0;
#pragma unroll 2
        for (int k = 0; k < BLOCKS; ++k) {
            const uint4 b = block_of(text, i, k);
            h0 += b.x & m;
            h1 += (b.x >> 26 | b.y << 6) & m;
            h2 += (b.y >> 20 | b.z << 12) & m;
            h3 += (b.z >> 14 | b.w << 18) & m;
            h4 += b.w >> 8 | 1u << 24;
            Wide d0 = (Wide)h0 * r0 + (Wide)h1 * s4 + (Wide)h2 * s3 + (Wide)h3 * s2 + (Wide)h4 * s1;
            Wide d1 = (Wide)h0 * r1 + (Wide)h1 * r0 + (Wide)h2 * s4 + (Wide)h3 * s3 + (Wide)h4 * s2;
            Wide d2 = (Wide)h0 * r2 + (Wide)h1 * r1 + (Wide)h2 * r0 + (Wide)h3 * s4 + (Wide)h4 * s3;
            Wide d3 = (Wide)h0 * r3 + (Wide)h1 * r2 + (Wide)h2 * r1 + (Wide)h3 * r0 + (Wide)h4 * s4;
            Wide d4 = (Wide)h0 * r4 + (Wide)h1 * r3 + (Wide)h2 * r2 + (Wide)h3 * r1 + (Wide)h4 * r0;
            d1 += d0 >> 26;
            d2 += d1 >> 26;
            d3 += d2 >> 26;
            d4 += d3 >> 26;
            h0 = ((unsigned)d0 & m) + (unsigned)(d4 >> 26) * 5;
            h1 = ((unsigned)d1 & m) + (h0 >> 26);
            h0 &= m;
            h2 = (unsigned)d2 & m;
            h3 = (unsigned)d3 & m;
            h4 = (unsigned)d4 & m;
        }
        tag = make_uint4(h0 | h1 << 26, h1 >> 6 | h2 << 20, h2 >> 12 | h3 << 14, h3 >> 18 | h4 << 8);
    } else {
        const Wide m = 0xfffffffffffull, k0 = (Wide)key.y << 32 | key.x, k1 = (Wide)key.w << 32 | key.z;
        const Wide r0 = k0 & m, r1 = (k0 >> 44 | k1 << 20) & m, r2 = k1 >> 24, s1 = r1 * 20, s2 = r2 * 20;
        Wide h0 = 0, h1 = 0, h2 = 0;
        auto sum3 = [](Wide a, Wide b, Wide c, Wide d, Wide e, Wide f, Wide& low, Wide& high) {
            low = a * b;
            high = __umul64hi(a, b);
            const Wide p = c * d, q = e * f;
            low += p;
            high += __umul64hi(c, d) + (low < p);
            low += q;
            high += __umul64hi(e, f) + (low < q);
        };
#pragma unroll 2
        for (int k = 0; k < BLOCKS; ++k) {
            const uint4 b = block_of(text, i, k);
            const Wide b0 = (Wide)b.y << 32 | b.x, b1 = (Wide)b.w << 32 | b.z;
            h0 += b0 & m;
            h1 += (b0 >> 44 | b1 << 20) & m;
            h2 += b1 >> 24 | 1ull << 40;
            Wide l0, u0, l1, u1, l2, u2;
            sum3(h0, r0, h1, s2, h2, s1, l0, u0);
            sum3(h0, r1, h1, r0, h2, s2, l1, u1);
            sum3(h0, r2, h1, r1, h2, r0, l2, u2);
            Wide c = l0 >> 44 | u0 << 20;
            h0 = l0 & m;
            l1 += c;
            u1 += l1 < c;
            c = l1 >> 44 | u1 << 20;
            h1 = l1 & m;
            l2 += c;
            u2 += l2 < c;
            c = l2 >> 42 | u2 << 22;
            h2 = l2 & 0x3ffffffffffull;
            h0 += c * 5;
            h1 += h0 >> 44;
            h0 &= m;
        }
        const Wide t0 = h0 | h1 << 44, t1 = h1 >> 20 | h2 << 24;
        tag = make_uint4((unsigned)t0, (unsigned)(t0 >> 32), (unsigned)t1, (unsigned)(t1 >> 32));
    }
    tags[i] = tag;
}
