// Rasteriser of Gaussian splats: a block paints a tile of pixels from its sorted list, fetched BATCH at a time to shared
// memory; pixels stop when they are opaque, blocks when all of their pixels are.
constexpr int TILE_X = 16, THREADS = TILE_X * TILE_Y, WIDTH = 400;

extern "C" __global__ void __launch_bounds__(THREADS)
gaussian_splat_tiles(const int* __restrict__ list, const float2* __restrict__ centre, const float4* __restrict__ shape,
                     const float* __restrict__ colour, float* __restrict__ image, float strength)
{
    __shared__ int ids[BATCH];
    __shared__ float2 xy[BATCH];
    __shared__ float4 conic[BATCH];
    const int t = threadIdx.y * TILE_X + threadIdx.x, tile = blockIdx.y * gridDim.x + blockIdx.x;
    const float px = threadIdx.x, py = threadIdx.y;
    const int many = LISTED / 2 + ((unsigned)tile * 2654435761u >> 16) % LISTED;
    const int* mine = list + tile * 4;
    float left = 1.0f, r = 0.0f, g = 0.0f, b = 0.0f;
    bool done = false;
    for (int from = 0; from < many; from += BATCH) {
        if (__syncthreads_count(done) == THREADS) break;
        for (int j = t; j < BATCH; j += THREADS)
            if (from + j < many) {
                const int id = mine[from + j];
                ids[j] = id;
                xy[j] = centre[id];
                conic[j] = shape[id];
            }
        __syncthreads();
        for (int j = 0; !done && j < min(BATCH, many - from); ++j) {
            const float4 q = conic[j];
            const float dx = xy[j].x * TILE_X - px, dy = xy[j].y * TILE_Y - py;
            const float power = -0.5f * (q.x * dx * dx + q.z * dy * dy) * 0.2f - 0.05f * q.y * dx * dy;
            if (power > 0.0f) continue;
            const float alpha = fminf(0.99f, strength * q.w * __expf(power));
            if (alpha < 1.0f / 255.0f) continue;
            const float next = left * (1.0f - alpha);
            if (next < 0.0001f) {
                done = true;
                continue;
            }
            const float* c = colour + 3 * ids[j];
            r += c[0] * alpha * left;
            g += c[1] * alpha * left;
            b += c[2] * alpha * left;
            left = next;
        }
    }
    const int x = blockIdx.x * TILE_X + threadIdx.x, y = blockIdx.y * TILE_Y + threadIdx.y;
    float* to = image + 3 * (y * WIDTH + x);
    to[0] = r + left;
    to[1] = g + left;
    to[2] = b + left;
}
