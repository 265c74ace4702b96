// Mean and inverse standard deviation of each channel of an NCHW tensor, one block a channel. WELFORD updates and
// merges means and squared distances; otherwise sums and sums of squares.
constexpr int IMAGES = 16, WARPS = THREADS / 32;

struct Stat { float n, mean, m2; };

__device__ __forceinline__ Stat merge(Stat a, Stat b)
{
    const float n = a.n + b.n, d = b.mean - a.mean;
    if (n == 0.0f) return a;
    const float share = b.n / n;
    return {n, a.mean + d * share, a.m2 + b.m2 + d * d * a.n * share};
}

__device__ __forceinline__ void add(Stat& s, float v)
{
#if WELFORD
    s.n += 1.0f;
    const float d = v - s.mean;
    s.mean += __fdividef(d, s.n);
    s.m2 += d * (v - s.mean);
#else
    s.n += 1.0f;
    s.mean += v;
    s.m2 += v * v;
#endif
}

__device__ __forceinline__ Stat combine(Stat a, Stat b)
{
#if WELFORD
    return merge(a, b);
#else
    return {a.n + b.n, a.mean + b.mean, a.m2 + b.m2};
#endif
}

__device__ __forceinline__ Stat over_warp(Stat s)
{
#pragma unroll
    for (int m = 16; m > 0; m >>= 1) {
        const Stat o = {__shfl_xor_sync(~0u, s.n, m), __shfl_xor_sync(~0u, s.mean, m), __shfl_xor_sync(~0u, s.m2, m)};
        s = combine(s, o);
    }
    return s;
}

extern "C" __global__ void __launch_bounds__(THREADS)
batch_norm_stats(const float* __restrict__ x, float* __restrict__ mean, float* __restrict__ invstd, int channels)
{
    __shared__ float parts[3][32];
    const int c = blockIdx.x, lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    Stat s = {0.0f, 0.0f, 0.0f};
    for (int n = 0; n < IMAGES; ++n) {
        const float* plane = x + ((size_t)n * channels + c) * HW;
#if VEC == 4
        for (int i = threadIdx.x; i < HW / 4; i += THREADS) {
            const float4 v = reinterpret_cast<const float4*>(plane)[i];
            add(s, v.x);
            add(s, v.y);
            add(s, v.z);
            add(s, v.w);
        }
#else
        for (int i = threadIdx.x; i < HW; i += THREADS) add(s, plane[i]);
#endif
    }
    s = over_warp(s);
    if (lane == 0) {
        parts[0][warp] = s.n;
        parts[1][warp] = s.mean;
        parts[2][warp] = s.m2;
    }
    __syncthreads();
    if (warp == 0) {
        s = lane < WARPS ? Stat{parts[0][lane], parts[1][lane], parts[2][lane]} : Stat{0.0f, 0.0f, 0.0f};
        s = over_warp(s);
        if (lane == 0) {
#if WELFORD
            const float m = s.mean, var = s.m2 / s.n;
#else
            const float m = s.mean / s.n, var = s.m2 / s.n - m * m;
#endif
            mean[c] = m;
            invstd[c] = rsqrtf(var + 1e-5f);
        }
    }
}
