// dx = r (w dy - x r^2 mean(w dy x)), r = rsqrt(mean(x^2)); a block has a row.
#include <cuda_bf16.h>
constexpr int PACKS = COLS / VEC, WARPS = THREADS / 32;
struct alignas(VEC * 2) Pack { __nv_bfloat162 h[VEC / 2]; };

extern "C" __global__ void __launch_bounds__(THREADS)
rmsnorm_bwd_bf16_row_shared(const Pack* __restrict__ x, const Pack* __restrict__ dy, const Pack* __restrict__ w, Pack* __restrict__ dx)
{
    __shared__ Pack sx[STAGED ? PACKS : 1], sd[STAGED ? PACKS : 1];
    __shared__ float2 part[WARPS];
    const size_t row = (size_t)blockIdx.x * PACKS;
    float squares = 0.0f, dot = 0.0f;
    for (int i = threadIdx.x; i < PACKS; i += THREADS) {
        const Pack px = x[row + i], pd = dy[row + i], pw = w[i];
        if (STAGED) {
            sx[i] = px;
            sd[i] = pd;
        }
#pragma unroll
        for (int j = 0; j < VEC / 2; ++j) {
            const float2 fx = __bfloat1622float2(px.h[j]), fd = __bfloat1622float2(pd.h[j]), fw = __bfloat1622float2(pw.h[j]);
            squares += fx.x * fx.x + fx.y * fx.y;
            dot += fx.x * fd.x * fw.x + fx.y * fd.y * fw.y;
        }
    }
#pragma unroll
    for (int d = 16; d; d >>= 1) {
        squares += __shfl_down_sync(~0u, squares, d);
        dot += __shfl_down_sync(~0u, dot, d);
    }
    if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = make_float2(squares, dot);
    __syncthreads();
    squares = dot = 0.0f;
#pragma unroll
    for (int k = 0; k < WARPS; ++k) {
        squares += part[k].x;
        dot += part[k].y;
    }
    const float r = rsqrtf(squares / COLS + 1e-6f), c = r * r * dot / COLS;
    for (int i = threadIdx.x; i < PACKS; i += THREADS) {
        const Pack px = STAGED ? sx[i] : x[row + i], pd = STAGED ? sd[i] : dy[row + i], pw = w[i];
        Pack o;
#pragma unroll
        for (int j = 0; j < VEC / 2; ++j) {
            const float2 fx = __bfloat1622float2(px.h[j]), fd = __bfloat1622float2(pd.h[j]), fw = __bfloat1622float2(pw.h[j]);
            o.h[j] = __floats2bfloat162_rn(r * (fd.x * fw.x - fx.x * c), r * (fd.y * fw.y - fx.y * c));
        }
        dx[row + i] = o;
    }
}
