// Permutes a contiguous tensor of four dimensions whose shape is known at run time only. Each thread takes the
// index apart, dimension by dimension; ORDER 0 is (0, 2, 1, 3), 1 is (0, 2, 3, 1), 2 is (3, 2, 1, 0).
struct Divider {
    unsigned d, m;
    __device__ unsigned operator()(unsigned& n) const
    {
        const unsigned q = MAGIC ? __umulhi(n, m) : n / d;
        const unsigned r = n - q * d;
        n = q;
        return r;
    }
};

extern "C" __global__ void permute_strided(const float* __restrict__ src, float* __restrict__ dst, unsigned d0,
                                           unsigned d1, unsigned d2, unsigned d3, unsigned m0, unsigned m1,
                                           unsigned m2, unsigned m3)
{
    const Divider div[4] = {{d0, m0}, {d1, m1}, {d2, m2}, {d3, m3}};
    const unsigned stride[4] = {d1 * d2 * d3, d2 * d3, d3, 1};
    constexpr int axes[3][4] = {{0, 2, 1, 3}, {0, 2, 3, 1}, {3, 2, 1, 0}};
    unsigned first = blockIdx.x * 256 * ITEMS + threadIdx.x;
#pragma unroll
    for (int k = 0; k < ITEMS; ++k) {
        const unsigned out = first + k * 256;
        unsigned rest = out, in = 0;
#pragma unroll
        for (int a = 3; a > 0; --a) {
            const int axis = axes[ORDER][a];
            in += div[axis](rest) * stride[axis];
        }
        in += rest * stride[axes[ORDER][0]];
        dst[out] = src[in];
    }
}
