// Disparity of a rectified pair of byte images: the shift with the smallest sum of absolute differences over a window.
// IN_SHARED stages the block's rows of both images.
constexpr int WINDOW = 2 * RADIUS + 1, LW = BLOCK_X + 2 * RADIUS, RW = LW + RANGE, ROWS = 4 + 2 * RADIUS;

extern "C" __global__ void stereo_block_match(const unsigned char* __restrict__ left,
                                              const unsigned char* __restrict__ right,
                                              unsigned char* __restrict__ disparity, int width)
{
    const int x = blockIdx.x * BLOCK_X + threadIdx.x, y = blockIdx.y * 4 + threadIdx.y;   // without the border
    const int pitch = width + 2 * RADIUS + RANGE;
#if IN_SHARED
    __shared__ unsigned char sl[ROWS][LW], sr[ROWS][RW];
    const int t = threadIdx.y * BLOCK_X + threadIdx.x, y0 = blockIdx.y * 4, x0 = blockIdx.x * BLOCK_X;
    for (int i = t; i < ROWS * LW; i += 4 * BLOCK_X) sl[i / LW][i % LW] = left[(y0 + i / LW) * pitch + x0 + RANGE + i % LW];
    for (int i = t; i < ROWS * RW; i += 4 * BLOCK_X) sr[i / RW][i % RW] = right[(y0 + i / RW) * pitch + x0 + i % RW];
    __syncthreads();
#endif
    int best = 1 << 30, shift = 0;
    for (int d = 0; d < RANGE; ++d) {
        int sum = 0;
#pragma unroll
        for (int j = 0; j < WINDOW; ++j)
#pragma unroll
            for (int i = 0; i < WINDOW; ++i) {
#if IN_SHARED
                const int a = sl[threadIdx.y + j][threadIdx.x + i], b = sr[threadIdx.y + j][threadIdx.x + i + RANGE - d];
#else
                const int a = left[(y + j) * pitch + x + RANGE + i], b = right[(y + j) * pitch + x + RANGE - d + i];
#endif
                sum += abs(a - b);
            }
        if (sum < best) {
            best = sum;
            shift = d;
        }
    }
    disparity[y * width + x] = (unsigned char)shift;
}
