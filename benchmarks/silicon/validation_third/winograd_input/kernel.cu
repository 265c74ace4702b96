// Input transform of Winograd convolution by 3 x 3 filters, F(2x2) or F(4x4): a tile of a channel a thread, images NCHW
// or NHWC, padded by one. The results go to (position in the tile, tile or channel, channel or tile).
constexpr int SIDE = 56, CHANNELS = 64, IMAGES = 8, IN = OUT_TILE + 2, ACROSS = SIDE / OUT_TILE;
constexpr int TILES = IMAGES * ACROSS * ACROSS;

__device__ __forceinline__ void transform(const float* d, float* r)
{
#if OUT_TILE == 2
    r[0] = d[0] - d[2];
    r[1] = d[1] + d[2];
    r[2] = d[2] - d[1];
    r[3] = d[1] - d[3];
#else
    r[0] = 4.0f * d[0] - 5.0f * d[2] + d[4];
    r[1] = -4.0f * (d[1] + d[2]) + d[3] + d[4];
    r[2] = 4.0f * (d[1] - d[2]) - d[3] + d[4];
    r[3] = 2.0f * (d[3] - d[1]) - d[2] + d[4];
    r[4] = 2.0f * (d[1] - d[3]) - d[2] + d[4];
    r[5] = 4.0f * d[1] - 5.0f * d[3] + d[5];
#endif
}

extern "C" __global__ void winograd_input(const float* __restrict__ x, float* __restrict__ v)
{
    const int i = blockIdx.x * THREADS + threadIdx.x;
    if (i >= TILES * CHANNELS) return;
    const int c = NHWC ? i % CHANNELS : i / TILES, tile = NHWC ? i / CHANNELS : i % TILES;
    const int n = tile / (ACROSS * ACROSS), ty = tile / ACROSS % ACROSS, tx = tile % ACROSS;
    const int y0 = ty * OUT_TILE - 1, x0 = tx * OUT_TILE - 1;
    float rows[IN][IN];
#pragma unroll
    for (int r = 0; r < IN; ++r) {
        float d[IN];
#pragma unroll
        for (int s = 0; s < IN; ++s) {
            const int yy = y0 + r, xx = x0 + s;
            const bool inside = yy >= 0 && yy < SIDE && xx >= 0 && xx < SIDE;
            const int at = NHWC ? ((n * SIDE + yy) * SIDE + xx) * CHANNELS + c : ((n * CHANNELS + c) * SIDE + yy) * SIDE + xx;
            d[s] = inside ? x[at] : 0.0f;
        }
        transform(d, rows[r]);
    }
#pragma unroll
    for (int s = 0; s < IN; ++s) {
        float d[IN], r[IN];
#pragma unroll
        for (int k = 0; k < IN; ++k) d[k] = rows[k][s];
        transform(d, r);
#pragma unroll
        for (int k = 0; k < IN; ++k) v[(size_t)(k * IN + s) * TILES * CHANNELS + i] = r[k];
    }
}
