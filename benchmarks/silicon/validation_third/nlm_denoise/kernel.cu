// Non-local means of a grey image: every pixel of the search window weighs by the distance of the patches around both.
// IN_SHARED stages the block's part of the image with its border.
constexpr int BORDER = SEARCH + PATCH, TW = 32 + 2 * BORDER, TH = BLOCK_Y + 2 * BORDER;

extern "C" __global__ void nlm_denoise(const float* __restrict__ image, float* __restrict__ out, int width, int height,
                                       float sharpness)
{
    const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * BLOCK_Y + threadIdx.y;
#if IN_SHARED
    __shared__ float tile[TH][TW];
    for (int i = threadIdx.y * 32 + threadIdx.x; i < TH * TW; i += 32 * BLOCK_Y) {
        const int yy = min(max((int)blockIdx.y * BLOCK_Y + i / TW - BORDER, 0), height - 1);
        const int xx = min(max((int)blockIdx.x * 32 + i % TW - BORDER, 0), width - 1);
        tile[i / TW][i % TW] = image[yy * width + xx];
    }
    __syncthreads();
    auto at = [&](int dx, int dy) { return tile[threadIdx.y + BORDER + dy][threadIdx.x + BORDER + dx]; };
#else
    auto at = [&](int dx, int dy) {
        return image[min(max(y + dy, 0), height - 1) * width + min(max(x + dx, 0), width - 1)];
    };
#endif
    float patch[2 * PATCH + 1][2 * PATCH + 1];
#pragma unroll
    for (int j = -PATCH; j <= PATCH; ++j)
#pragma unroll
        for (int i = -PATCH; i <= PATCH; ++i) patch[j + PATCH][i + PATCH] = at(i, j);
    float sum = 0.0f, weights = 0.0f;
    for (int v = -SEARCH; v <= SEARCH; ++v)
        for (int u = -SEARCH; u <= SEARCH; ++u) {
            float distance = 0.0f;
#pragma unroll
            for (int j = -PATCH; j <= PATCH; ++j)
#pragma unroll
                for (int i = -PATCH; i <= PATCH; ++i) {
                    const float d = at(u + i, v + j) - patch[j + PATCH][i + PATCH];
                    distance += d * d;
                }
            const float w = __expf(-distance * sharpness);
            sum += w * at(u, v);
            weights += w;
        }
    out[y * width + x] = sum / weights;
}
