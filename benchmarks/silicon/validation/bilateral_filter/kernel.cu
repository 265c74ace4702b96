// Bilateral filter: neighbours weighted by their distance and by their difference of value.
// The image is padded by three pixels; with USE_SHARED a block first loads its tile with the border.
extern "C" __global__ void bilateral_filter(const float* __restrict__ input, float* __restrict__ output) {
    constexpr int pitch = 1030, wide = BLOCK_X + 2 * RADIUS, high = 8 + 2 * RADIUS;
    __shared__ float tile[USE_SHARED ? high : 1][USE_SHARED ? wide : 1];
    int x0 = blockIdx.x * BLOCK_X, y0 = blockIdx.y * 8, tx = threadIdx.x, ty = threadIdx.y;
    const float* corner = input + (y0 + 3 - RADIUS) * pitch + x0 + 3 - RADIUS;
    if (USE_SHARED) {
        for (int i = ty * BLOCK_X + tx; i < high * wide; i += BLOCK_X * 8)
            tile[i / wide][i % wide] = corner[i / wide * pitch + i % wide];
        __syncthreads();
    }
    float center = corner[(ty + RADIUS) * pitch + tx + RADIUS], sum = 0.0f, weights = 0.0f;
#pragma unroll
    for (int j = 0; j <= 2 * RADIUS; ++j)
#pragma unroll
        for (int i = 0; i <= 2 * RADIUS; ++i) {
            float v = USE_SHARED ? tile[ty + j][tx + i] : corner[(ty + j) * pitch + tx + i];
            float d = v - center;
            float w = __expf(-0.1f * ((i - RADIUS) * (i - RADIUS) + (j - RADIUS) * (j - RADIUS)) - 8.0f * d * d);
            sum = fmaf(w, v, sum);
            weights += w;
        }
    output[(y0 + ty) * 1024 + x0 + tx] = sum / weights;
}
