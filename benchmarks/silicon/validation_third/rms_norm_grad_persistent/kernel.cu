// Gradient of an FP32 RMS norm: blocks walk over the rows, every thread keeps the gradient of its columns' weights in
// registers and writes it once at the end. 128-bit accesses.
constexpr int PER = HIDDEN / (4 * THREADS), WARPS = THREADS / 32;

extern "C" __global__ void __launch_bounds__(THREADS)
rms_norm_grad_persistent(const float4* __restrict__ dy, const float4* __restrict__ x, const float4* __restrict__ weight,
                         float4* __restrict__ dx, float4* __restrict__ dw_parts, int rows)
{
    __shared__ float2 parts[2][WARPS];
    const int t = threadIdx.x, lane = t & 31, warp = t >> 5;
    float4 w[PER], dw[PER];
#pragma unroll
    for (int i = 0; i < PER; ++i) {
        w[i] = weight[i * THREADS + t];
        dw[i] = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
    }
    int turn = 0;
    for (int row = blockIdx.x; row < rows; row += gridDim.x, turn ^= 1) {
        float4 a[PER], g[PER];
        float squares = 0.0f, inner = 0.0f;
#pragma unroll
        for (int i = 0; i < PER; ++i) {
            a[i] = x[(size_t)row * (HIDDEN / 4) + i * THREADS + t];
            g[i] = dy[(size_t)row * (HIDDEN / 4) + i * THREADS + t];
        }
#pragma unroll
        for (int i = 0; i < PER; ++i) {
            squares += a[i].x * a[i].x + a[i].y * a[i].y + a[i].z * a[i].z + a[i].w * a[i].w;
            inner += a[i].x * g[i].x * w[i].x + a[i].y * g[i].y * w[i].y + a[i].z * g[i].z * w[i].z
                   + a[i].w * g[i].w * w[i].w;
        }
        for (int m = 16; m > 0; m >>= 1) {
            squares += __shfl_xor_sync(0xffffffff, squares, m);
            inner += __shfl_xor_sync(0xffffffff, inner, m);
        }
        if (lane == 0) parts[turn][warp] = make_float2(squares, inner);
        __syncthreads();
        squares = inner = 0.0f;
#pragma unroll
        for (int k = 0; k < WARPS; ++k) {
            squares += parts[turn][k].x;
            inner += parts[turn][k].y;
        }
        const float r = rsqrtf(squares * (1.0f / HIDDEN) + 1e-6f), back = inner * r * r * r * (1.0f / HIDDEN);
#pragma unroll
        for (int i = 0; i < PER; ++i) {
            float4 d;
            d.x = g[i].x * w[i].x * r - a[i].x * back;
            d.y = g[i].y * w[i].y * r - a[i].y * back;
            d.z = g[i].z * w[i].z * r - a[i].z * back;
            d.w = g[i].w * w[i].w * r - a[i].w * back;
            dx[(size_t)row * (HIDDEN / 4) + i * THREADS + t] = d;
            dw[i].x += g[i].x * a[i].x * r;
            dw[i].y += g[i].y * a[i].y * r;
            dw[i].z += g[i].z * a[i].z * r;
            dw[i].w += g[i].w * a[i].w * r;
        }
    }
#pragma unroll
    for (int i = 0; i < PER; ++i) dw_parts[(size_t)blockIdx.x * (HIDDEN / 4) + i * THREADS + t] = dw[i];
}
