// Levels of a two-dimensional Haar transform of tiles in shared memory; means of a level are the next one's input.
constexpr int W = 4096;

extern "C" __global__ void __launch_bounds__(THREADS)
haar2d_tile_levels(const float* __restrict__ in, float* __restrict__ out)
{
    __shared__ float a[TILE * TILE], b[TILE * TILE / 4];
    const int x0 = blockIdx.x * TILE, y0 = blockIdx.y * TILE;
    for (int i = threadIdx.x; i < TILE * TILE / 4; i += THREADS)
        *reinterpret_cast<float4*>(a + i * 4) = *reinterpret_cast<const float4*>(in + (size_t)(y0 + i / (TILE / 4)) * W + x0 + i % (TILE / 4) * 4);
    __syncthreads();
#pragma unroll
    for (int l = 0; l < LEVELS; ++l) {
        const int side = TILE >> l, half = side / 2;
        const float* from = l % 2 ? b : a;
        float* means = l % 2 ? a : b;
        for (int i = threadIdx.x; i < half * half; i += THREADS) {
            const int y = i / half, x = i % half;
            const float2 p = *reinterpret_cast<const float2*>(from + 2 * y * side + 2 * x);
            const float2 q = *reinterpret_cast<const float2*>(from + (2 * y + 1) * side + 2 * x);
            means[y * half + x] = 0.5f * (p.x + p.y + q.x + q.y);
            float* to = out + (size_t)(y0 + y) * W + x0 + x;
            to[half] = 0.5f * (p.x - p.y + q.x - q.y);
            to[(size_t)half * W] = 0.5f * (p.x + p.y - q.x - q.y);
            to[(size_t)half * W + half] = 0.5f * (p.x - p.y - q.x + q.y);
            if (l == LEVELS - 1) to[0] = means[y * half + x];
        }
        __syncthreads();
    }
}
