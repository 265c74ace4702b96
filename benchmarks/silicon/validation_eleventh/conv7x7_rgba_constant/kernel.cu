// A picture of four FP32 channels a pixel under a filter of 7 x 7 in constant memory; results of PER rows a thread.
constexpr int W = 1920, BY = BX == 16 ? 16 : 4, TW = BX + 6, TH = BY * PER + 6, PITCH = W + 6;
__constant__ float taps[49] = {
    0.001f, 0.003f, 0.006f, 0.008f, 0.006f, 0.003f, 0.001f, 0.003f, 0.012f, 0.026f, 0.033f, 0.026f, 0.012f, 0.003f, 0.006f, 0.026f, 0.055f,
    0.071f, 0.055f, 0.026f, 0.006f, 0.008f, 0.033f, 0.071f, 0.091f, 0.071f, 0.033f, 0.008f, 0.006f, 0.026f, 0.055f, 0.071f, 0.055f, 0.026f,
    0.006f, 0.003f, 0.012f, 0.026f, 0.033f, 0.026f, 0.012f, 0.003f, 0.001f, 0.003f, 0.006f, 0.008f, 0.006f, 0.003f, 0.001f};

extern "C" __global__ void __launch_bounds__(BX * BY)
conv7x7_rgba_constant(const float4* __restrict__ in, float4* __restrict__ out)
{
    __shared__ float4 tile[STAGED ? TH * TW : 1];
    const int x0 = blockIdx.x * BX, y0 = blockIdx.y * BY * PER, x = x0 + threadIdx.x, y = y0 + threadIdx.y * PER;
    if (STAGED) {
        for (int i = threadIdx.y * BX + threadIdx.x; i < TH * TW; i += BX * BY)
            tile[STAGED ? i : 0] = in[(y0 + i / TW) * PITCH + x0 + i % TW];
        __syncthreads();
    }
    float4 acc[PER];
#pragma unroll
    for (int p = 0; p < PER; ++p) acc[p] = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
#pragma unroll
    for (int r = 0; r < PER + 6; ++r)
#pragma unroll
        for (int j = 0; j < 7; ++j) {
            const float4 v = STAGED ? tile[STAGED ? (threadIdx.y * PER + r) * TW + threadIdx.x + j : 0] : in[(y + r) * PITCH + x + j];
#pragma unroll
            for (int p = 0; p < PER; ++p)
                if (r - p >= 0 && r - p < 7) {
                    const float t = taps[(r - p) * 7 + j];
                    acc[p].x += t * v.x;
                    acc[p].y += t * v.y;
                    acc[p].z += t * v.z;
                    acc[p].w += t * v.w;
                }
        }
#pragma unroll
    for (int p = 0; p < PER; ++p) out[(y + p) * W + x] = acc[p];
}
