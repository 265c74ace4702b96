// Greatest less least of the neighbourhood; a thread has a column of words and keeps three rows of extremes.
constexpr int W = 2048, H = 4096;

__device__ __forceinline__ unsigned most(unsigned a, unsigned b)
{
    if (SIMD) return __vmaxu4(a, b);
    unsigned r = 0;
#pragma unroll
    for (int i = 0; i < 32; i += 8) r |= max(a >> i & 255u, b >> i & 255u) << i;
    return r;
}
__device__ __forceinline__ unsigned least(unsigned a, unsigned b)
{
    if (SIMD) return __vminu4(a, b);
    unsigned r = 0;
#pragma unroll
    for (int i = 0; i < 32; i += 8) r |= min(a >> i & 255u, b >> i & 255u) << i;
    return r;
}

struct Row { unsigned own, high, low; };

extern "C" __global__ void __launch_bounds__(THREADS)
morph_gradient_bytes_march(const unsigned* __restrict__ x, unsigned* __restrict__ y)
{
    const int col = blockIdx.x * THREADS + threadIdx.x, west = max(col - 1, 0), east = min(col + 1, W - 1), row0 = blockIdx.y * RUN;
    auto read = [&](int r) {
        const unsigned* p = x + min(max(r, 0), H - 1) * W;
        const unsigned own = p[col], left = __funnelshift_l(p[west], own, 8), right = __funnelshift_r(own, p[east], 8);
        return Row{own, most(own, most(left, right)), least(own, least(left, right))};
    };
    Row up = read(row0 - 1), mid = read(row0);
#pragma unroll 2
    for (int r = row0; r < row0 + RUN; ++r) {
        const Row down = read(r + 1);
        const unsigned high = SQUARE ? most(mid.high, most(up.high, down.high)) : most(mid.high, most(up.own, down.own));
        const unsigned low = SQUARE ? least(mid.low, least(up.low, down.low)) : least(mid.low, least(up.own, down.own));
        y[r * W + col] = high - low;
        up = mid;
        mid = down;
    }
}
