// Harris' corner measure of a grey image: gradients, their products summed over a window, determinant and trace. The
// gradients of a tile are kept in shared memory, or made again for every window from the image in shared memory.
constexpr int W = 2048, H = 1024, R = WINDOW / 2, PW = BLOCK_X + 2 * R + 2, PH = BLOCK_Y + 2 * R + 2;
constexpr int GW = BLOCK_X + 2 * R, GH = BLOCK_Y + 2 * R;

extern "C" __global__ void harris_response(const float* __restrict__ image, float* __restrict__ out, float k)
{
    __shared__ float pixels[PH][PW];
    const int tx = threadIdx.x, ty = threadIdx.y, t = ty * BLOCK_X + tx;
    const int x0 = blockIdx.x * BLOCK_X - R - 1, y0 = blockIdx.y * BLOCK_Y - R - 1;
    for (int i = t; i < PH * PW; i += BLOCK_X * BLOCK_Y)
        pixels[i / PW][i % PW] = image[min(max(y0 + i / PW, 0), H - 1) * W + min(max(x0 + i % PW, 0), W - 1)];
    __syncthreads();
    auto gradient = [&](int r, int c) {
        const float dx = pixels[r][c + 2] - pixels[r][c] + 2.0f * (pixels[r + 1][c + 2] - pixels[r + 1][c]) +
                         pixels[r + 2][c + 2] - pixels[r + 2][c];
        const float dy = pixels[r + 2][c] - pixels[r][c] + 2.0f * (pixels[r + 2][c + 1] - pixels[r][c + 1]) +
                         pixels[r + 2][c + 2] - pixels[r][c + 2];
        return make_float2(dx, dy);
    };
#if KEPT
    __shared__ float2 gradients[GH][GW];
    for (int i = t; i < GH * GW; i += BLOCK_X * BLOCK_Y) gradients[i / GW][i % GW] = gradient(i / GW, i % GW);
    __syncthreads();
#endif
    float xx = 0.0f, xy = 0.0f, yy = 0.0f;
#pragma unroll
    for (int r = 0; r < WINDOW; ++r)
#pragma unroll
        for (int c = 0; c < WINDOW; ++c) {
#if KEPT
            const float2 g = gradients[ty + r][tx + c];
#else
            const float2 g = gradient(ty + r, tx + c);
#endif
            xx += g.x * g.x;
            xy += g.x * g.y;
            yy += g.y * g.y;
        }
    out[(blockIdx.y * BLOCK_Y + ty) * W + blockIdx.x * BLOCK_X + tx] = xx * yy - xy * xy - k * (xx + yy) * (xx + yy);
}
