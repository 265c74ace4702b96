// Squared differences between a template and the picture at every place; PER neighbours share what they read of a row.
constexpr int T = 16, LD = 1040, N = 1024, W = PER * BX + T - 1, H = BY + T - 1, THREADS = BX * BY;

extern "C" __global__ void __launch_bounds__(THREADS)
template_ssd_f32_tiles(const float* __restrict__ image, const float* __restrict__ small, float* __restrict__ out)
{
    __shared__ float tile[STAGED ? H : 1][STAGED ? W : 1];
    __shared__ float ts[T][T];
    const int tx = threadIdx.x, ty = threadIdx.y, t = ty * BX + tx, x0 = blockIdx.x * BX * PER, y0 = blockIdx.y * BY;
    for (int i = t; i < T * T; i += THREADS) ts[i / T][i % T] = small[i];
    if (STAGED)
        for (int i = t; i < H * W; i += THREADS) tile[STAGED ? i / W : 0][STAGED ? i % W : 0] = image[(y0 + i / W) * LD + x0 + i % W];
    __syncthreads();
    float sum[PER] = {};
#pragma unroll 1
    for (int r = 0; r < T; ++r) {
        float v[T + PER - 1];
#pragma unroll
        for (int i = 0; i < T + PER - 1; ++i) v[i] = STAGED ? tile[STAGED ? ty + r : 0][STAGED ? tx * PER + i : 0] : image[(y0 + ty + r) * LD + x0 + tx * PER + i];
#pragma unroll
        for (int i = 0; i < T; ++i) {
            const float s = ts[r][i];
#pragma unroll
            for (int p = 0; p < PER; ++p) sum[p] += (v[i + p] - s) * (v[i + p] - s);
        }
    }
#pragma unroll
    for (int p = 0; p < PER; ++p) out[(y0 + ty) * N + x0 + tx * PER + p] = sum[p];
}
