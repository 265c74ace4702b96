// 144 x 260 x 28 or 16 x 9 x 20 x 13 x 28. Methods: int division, long long division, high half of a product.
#if METHOD == 1
typedef long long Index;
#else
typedef int Index;
#endif

__device__ Index cut(Index& i, int size, unsigned magic)
{
#if METHOD == 2
    const Index q = __umulhi(i, magic);
#else
    const Index q = i / size;
#endif
    const Index rest = i - q * size;
    i = q;
    return rest;
}

extern "C" __global__ void __launch_bounds__(256)
unravel_permute_nd(const float* __restrict__ x, float* __restrict__ y, int n, int size1, int size2, int size3, int size4,
                   int stride1, int stride2, int stride3, int stride4, unsigned magic1, unsigned magic2, unsigned magic3,
                   unsigned magic4)
{
#pragma unroll
    for (int e = 0; e < EACH; ++e) {
        const Index flat = (Index)(blockIdx.x * EACH + e) * 256 + threadIdx.x;
        if (flat >= n) return;
        Index i = flat, from = 0;
#if AXES == 5
        from += cut(i, size4, magic4) * stride4;
        from += cut(i, size3, magic3) * stride3;
#endif
        from += cut(i, size2, magic2) * stride2;
        from += cut(i, size1, magic1) * stride1;
        y[flat] = x[from + i];
    }
}
