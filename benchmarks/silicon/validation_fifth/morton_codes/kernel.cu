// Codes of 30 or 63 bits; x, y and z of the points are in arrays one after the other.
#if WIDE
typedef unsigned long long Code;
#else
typedef unsigned Code;
#endif

constexpr int COUNT = 2097152, BITS = WIDE ? 21 : 10;

__device__ Code spread(Code x)
{
#if WIDE
    x = (x | x << 32) & 0x001f00000000ffffull;
    x = (x | x << 16) & 0x001f0000ff0000ffull;
    x = (x | x << 8) & 0x100f00f00f00f00full;
    x = (x | x << 4) & 0x10c30c30c30c30c3ull;
    x = (x | x << 2) & 0x1249249249249249ull;
#else
    x = (x | x << 16) & 0x030000ffu;
    x = (x | x << 8) & 0x0300f00fu;
    x = (x | x << 4) & 0x030c30c3u;
    x = (x | x << 2) & 0x09249249u;
#endif
    return x;
}

extern "C" __global__ void __launch_bounds__(256)
morton_codes(const float* __restrict__ points, Code* __restrict__ codes)
{
#if TABLE
    __shared__ unsigned low[256];
    low[threadIdx.x] = (unsigned)spread((Code)threadIdx.x);
    __syncthreads();
    auto spaced = [&](unsigned v) {
        Code c = low[v & 255] | (Code)low[v >> 8 & 255] << 24;
#if WIDE
        c |= (Code)low[v >> 16] << 48;
#endif
        return c;
    };
#else
    auto spaced = [&](unsigned v) { return spread((Code)v); };
#endif
    int at = blockIdx.x * (256 * EACH) + threadIdx.x;
#pragma unroll
    for (int e = 0; e < EACH; ++e, at += 256) {
        constexpr float scale = 1 << BITS;
        const unsigned x = (unsigned)(points[at] * scale), y = (unsigned)(points[COUNT + at] * scale),
                       z = (unsigned)(points[2 * COUNT + at] * scale);
        codes[at] = spaced(x) | spaced(y) << 1 | spaced(z) << 2;
    }
}
