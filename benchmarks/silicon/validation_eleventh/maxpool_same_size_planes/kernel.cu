// Maxima of windows with stride one in planes of 64 x 64: from memory (0), from shared memory (1), or rows first and
// columns from their results (2).
constexpr int SIDE = 64, R = WINDOW / 2, TH = TILE + 2 * R, TW = SIDE + 2 * R;

extern "C" __global__ void __launch_bounds__(256)
maxpool_same_size_planes(const float* __restrict__ x, float* __restrict__ y)
{
    __shared__ float tile[MODE ? TH * TW : 1], rows[MODE == 2 ? TH * SIDE : 1];
    const int y0 = blockIdx.x * TILE, tx = threadIdx.x % SIDE, ty = threadIdx.x / SIDE;
    const float* plane = x + (size_t)blockIdx.y * SIDE * SIDE;
    float* to = y + (size_t)blockIdx.y * SIDE * SIDE;
    if (MODE) {
        for (int i = threadIdx.x; i < TH * TW; i += 256) {
            const int py = y0 + i / TW - R, px = i % TW - R;
            tile[MODE ? i : 0] = py >= 0 && py < SIDE && px >= 0 && px < SIDE ? plane[py * SIDE + px] : -1.0e30f;
        }
        __syncthreads();
    }
    if (MODE == 2) {
        for (int r = ty; r < TH; r += 4) {
            float top = -1.0e30f;
#pragma unroll
            for (int k = 0; k < WINDOW; ++k) top = fmaxf(top, tile[MODE ? r * TW + tx + k : 0]);
            rows[MODE == 2 ? r * SIDE + tx : 0] = top;
        }
        __syncthreads();
    }
    for (int r = ty; r < TILE; r += 4) {
        float top = -1.0e30f;
        if (MODE == 2) {
#pragma unroll
            for (int k = 0; k < WINDOW; ++k) top = fmaxf(top, rows[MODE == 2 ? (r + k) * SIDE + tx : 0]);
        } else {
#pragma unroll
            for (int i = 0; i < WINDOW; ++i)
#pragma unroll
                for (int k = 0; k < WINDOW; ++k) {
                    if (MODE == 1) {
                        top = fmaxf(top, tile[MODE ? (r + i) * TW + tx + k : 0]);
                    } else {
                        const int py = y0 + r + i - R, px = tx + k - R;
                        if (py >= 0 && py < SIDE && px >= 0 && px < SIDE) top = fmaxf(top, plane[py * SIDE + px]);
                    }
                }
        }
        to[(y0 + r) * SIDE + tx] = top;
    }
}
