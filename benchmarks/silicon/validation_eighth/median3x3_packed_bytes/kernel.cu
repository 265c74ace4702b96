// 4,096 x 2,048 pixels with one more above and below, four bytes more before a row and four after it.
constexpr int LINE = 4104, W = 4096;

#if LANES == 1
typedef unsigned char Stored;
__device__ __forceinline__ unsigned least(unsigned a, unsigned b) { return min(a, b); }
__device__ __forceinline__ unsigned most(unsigned a, unsigned b) { return max(a, b); }
#elif LANES == 2
typedef unsigned short Stored;
__device__ __forceinline__ unsigned least(unsigned a, unsigned b) { return __vminu2(a, b); }
__device__ __forceinline__ unsigned most(unsigned a, unsigned b) { return __vmaxu2(a, b); }
#else
typedef unsigned Stored;
__device__ __forceinline__ unsigned least(unsigned a, unsigned b) { return __vminu4(a, b); }
__device__ __forceinline__ unsigned most(unsigned a, unsigned b) { return __vmaxu4(a, b); }
#endif
__device__ __forceinline__ void order(unsigned& a, unsigned& b)
{
    const unsigned t = least(a, b);
    b = most(a, b);
    a = t;
}

extern "C" __global__ void __launch_bounds__(32 * BLOCK_Y)
median3x3_packed_bytes(const unsigned char* __restrict__ x, Stored* __restrict__ y)
{
    const int px = blockIdx.x * 32 + threadIdx.x, y0 = (blockIdx.y * BLOCK_Y + threadIdx.y) * ROWS;
    unsigned v[ROWS + 2][3];
#pragma unroll
    for (int r = 0; r < ROWS + 2; ++r) {
        const unsigned char* from = x + (y0 + r) * LINE + 4 + px * LANES;
        if (LANES == 1) {
            v[r][0] = from[-1];
            v[r][1] = from[0];
            v[r][2] = from[1];
        } else if (LANES == 2) {
            const unsigned short* p = reinterpret_cast<const unsigned short*>(from);
            const unsigned a = p[-1], b = p[0], c = p[1];
            v[r][1] = (b & 0xffu) | (b >> 8) << 16;
            v[r][0] = a >> 8 | (b & 0xffu) << 16;
            v[r][2] = b >> 8 | (c & 0xffu) << 16;
        } else {
            const unsigned* p = reinterpret_cast<const unsigned*>(from);
            v[r][1] = p[0];
            v[r][0] = __byte_perm(p[-1], v[r][1], 0x6543);
            v[r][2] = __byte_perm(v[r][1], p[1], 0x4321);
        }
        order(v[r][0], v[r][1]);
        order(v[r][1], v[r][2]);
        order(v[r][0], v[r][1]);
    }
#pragma unroll
    for (int r = 0; r < ROWS; ++r) {
        unsigned low = most(most(v[r][0], v[r + 1][0]), v[r + 2][0]), high = least(least(v[r][2], v[r + 1][2]), v[r + 2][2]);
        unsigned a = v[r][1], b = v[r + 1][1], c = v[r + 2][1];
        order(a, b);
        b = most(a, least(b, c));  // the median of the three in the middle
        order(low, high);
        b = most(low, least(high, b));
        y[(y0 + r) * (W / LANES) + px] = LANES == 2 ? (Stored)(b & 0xffu | b >> 8) : (Stored)b;
    }
}
