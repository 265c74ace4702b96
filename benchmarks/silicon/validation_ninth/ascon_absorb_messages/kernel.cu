// The permutation of 12 rounds after each word of 64 bits; two words of the state are the hash.
__device__ __forceinline__ unsigned long long turned(unsigned long long v, int n)
{
    return v >> n | v << (64 - n);
}

extern "C" __global__ void __launch_bounds__(THREADS)
ascon_absorb_messages(const uint2* __restrict__ x, uint2* __restrict__ y)
{
    const int id = blockIdx.x * THREADS + threadIdx.x;
    unsigned long long a = 0xee9398aadb67f03dull, b = 0x8bb21831c60f1002ull, c = 0xb48a92db98d5da62ull,
                       d = 0x43189921b8f8e3e8ull, e = 0x348fa5c9d525e140ull;
#pragma unroll 1
    for (int w = 0; w < WORDS; ++w) {
        const uint2 v = x[INTERLEAVED ? w * 65536 + id : id * WORDS + w];
        a ^= (unsigned long long)v.y << 32 | v.x;
#pragma unroll UNROLL
        for (int r = 0; r < 12; ++r) {
            c ^= (15 - r) << 4 | r;
            a ^= e;
            e ^= d;
            c ^= b;
            const unsigned long long ta = ~a & b, tb = ~b & c, tc = ~c & d, td = ~d & e, te = ~e & a;
            a ^= tb;
            b ^= tc;
            c ^= td;
            d ^= te;
            e ^= ta;
            b ^= a;
            a ^= e;
            d ^= c;
            c = ~c;
            a ^= turned(a, 19) ^ turned(a, 28);
            b ^= turned(b, 61) ^ turned(b, 39);
            c ^= turned(c, 1) ^ turned(c, 6);
            d ^= turned(d, 10) ^ turned(d, 17);
            e ^= turned(e, 7) ^ turned(e, 41);
        }
    }
    y[2 * id] = make_uint2((unsigned)a, (unsigned)(a >> 32));
    y[2 * id + 1] = make_uint2((unsigned)b, (unsigned)(b >> 32));
}
