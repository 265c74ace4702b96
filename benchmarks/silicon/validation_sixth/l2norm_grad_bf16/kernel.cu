// y = x / |x|, so dx = (dy - x (x . dy) / |x|^2) / |x|.
#include <cuda_bf16.h>

constexpr int CHUNKS = COLS / 8, LANES = 32 * WARPS_ROW, ROWS = 4 / WARPS_ROW, MOST = (CHUNKS + LANES - 1) / LANES;

struct alignas(16) Eight { __nv_bfloat162 v[4]; };

__device__ float2 row_sums(float2 s)
{
#pragma unroll
    for (int d = 16; d > 0; d >>= 1) {
        s.x += __shfl_xor_sync(0xffffffff, s.x, d);
        s.y += __shfl_xor_sync(0xffffffff, s.y, d);
    }
#if WARPS_ROW > 1
    __shared__ float2 part[4];
    const int warp = threadIdx.x / 32;
    if (threadIdx.x % 32 == 0) part[warp] = s;
    __syncthreads();
    s = make_float2(0.0f, 0.0f);
#pragma unroll
    for (int w = 0; w < WARPS_ROW; ++w) {
        const float2 p = part[warp / WARPS_ROW * WARPS_ROW + w];
        s.x += p.x;
        s.y += p.y;
    }
#endif
    return s;
}

extern "C" __global__ void __launch_bounds__(128)
l2norm_grad_bf16(const Eight* __restrict__ x, const Eight* __restrict__ dy, Eight* __restrict__ dx)
{
    const int row = blockIdx.x * ROWS + threadIdx.x / LANES, lane = threadIdx.x % LANES;
    const size_t base = (size_t)row * CHUNKS;
#if KEPT
    Eight xs[MOST], ds[MOST];
#endif
    float2 sums = make_float2(0.0f, 0.0f);
#pragma unroll
    for (int m = 0; m < MOST; ++m) {
        const int i = m * LANES + lane;
        if (i >= CHUNKS) continue;
        const Eight a = x[base + i], b = dy[base + i];
#if KEPT
        xs[m] = a;
        ds[m] = b;
#endif
#pragma unroll
        for (int k = 0; k < 4; ++k) {
            const float2 u = __bfloat1622float2(a.v[k]), v = __bfloat1622float2(b.v[k]);
            sums.x += u.x * u.x + u.y * u.y;
            sums.y += u.x * v.x + u.y * v.y;
        }
    }
    sums = row_sums(sums);
    const float inverse = rsqrtf(sums.x + 1e-12f), factor = sums.y * inverse * inverse;
#pragma unroll
    for (int m = 0; m < MOST; ++m) {
        const int i = m * LANES + lane;
        if (i >= CHUNKS) continue;
#if KEPT
        const Eight a = xs[m], b = ds[m];
#else
        const Eight a = x[base + i], b = dy[base + i];
#endif
        Eight out;
#pragma unroll
        for (int k = 0; k < 4; ++k) {
            const float2 u = __bfloat1622float2(a.v[k]), v = __bfloat1622float2(b.v[k]);
            out.v[k] = __floats2bfloat162_rn((v.x - u.x * factor) * inverse, (v.y - u.y * factor) * inverse);
        }
        dx[base + i] = out;
    }
}
