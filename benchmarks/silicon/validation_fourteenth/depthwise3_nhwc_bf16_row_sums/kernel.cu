// Each row of the input is read once a thread and adds to the three rows of the result that it belongs to.
#include <cuda_bf16.h>
constexpr int H = 56, W = 56, C = 256 / VEC;
struct alignas(VEC * 2) Pack { __nv_bfloat162 h[VEC / 2]; };
#if WIDE
typedef float2 Weight;
__device__ __forceinline__ float2 keep(__nv_bfloat162 h) { return __bfloat1622float2(h); }
__device__ __forceinline__ float2 use(float2 f) { return f; }
#else
typedef __nv_bfloat162 Weight;
__device__ __forceinline__ __nv_bfloat162 keep(__nv_bfloat162 h) { return h; }
__device__ __forceinline__ float2 use(__nv_bfloat162 h) { return __bfloat1622float2(h); }
#endif

extern "C" __global__ void __launch_bounds__(THREADS)
depthwise3_nhwc_bf16_row_sums(const Pack* __restrict__ x, const Pack* __restrict__ w, Pack* __restrict__ y)
{
    const int id = blockIdx.x * THREADS + threadIdx.x, c = id % C, col = id / C % W, rest = id / (C * W);
    const int row0 = rest % (H / RUN) * RUN, image = rest / (H / RUN);
    Weight k[9][VEC / 2];
#pragma unroll
    for (int i = 0; i < 9; ++i) {
        const Pack p = w[i * C + c];
#pragma unroll
        for (int j = 0; j < VEC / 2; ++j) k[i][j] = keep(p.h[j]);
    }
    float2 sum[3][VEC / 2] = {};
#pragma unroll 1
    for (int r = row0 - 1; r <= row0 + RUN; ++r) {
        if (r >= 0 && r < H) {
#pragma unroll
            for (int d = 0; d < 3; ++d) {
                const int at = col + d - 1;
                if (at < 0 || at >= W) continue;
                const Pack p = x[((image * H + r) * W + at) * C + c];
#pragma unroll
                for (int j = 0; j < VEC / 2; ++j) {
                    const float2 f = __bfloat1622float2(p.h[j]);
#pragma unroll
                    for (int s = 0; s < 3; ++s) {
                        const float2 g = use(k[(2 - s) * 3 + d][j]);
                        sum[s][j].x += f.x * g.x;
                        sum[s][j].y += f.y * g.y;
                    }
                }
            }
        }
        if (r > row0) {
            Pack o;
#pragma unroll
            for (int j = 0; j < VEC / 2; ++j) o.h[j] = __floats2bfloat162_rn(sum[0][j].x, sum[0][j].y);
            y[((image * H + r - 1) * W + col) * C + c] = o;
        }
#pragma unroll
        for (int j = 0; j < VEC / 2; ++j) {
            sum[0][j] = sum[1][j];
            sum[1][j] = sum[2][j];
            sum[2][j] = make_float2(0.0f, 0.0f);
        }
    }
}
