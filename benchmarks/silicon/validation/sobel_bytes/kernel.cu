// Sobel gradient of an image of bytes: the magnitude by a square root or as a sum of absolute values.
// PIXELS_EACH neighbours a thread, stored together.
struct alignas(PIXELS_EACH) Pack { unsigned char v[PIXELS_EACH]; };

extern "C" __global__ void sobel_bytes(const unsigned char* __restrict__ input, Pack* __restrict__ output) {
    constexpr int pitch = 4104, width = PIXELS_EACH + 2;
    int i = blockIdx.x * BLOCK_X + threadIdx.x, y = blockIdx.y * 4 + threadIdx.y;
    const unsigned char* from = input + y * pitch + i * PIXELS_EACH;
    int p[3][width];
#pragma unroll
    for (int r = 0; r < 3; ++r)
#pragma unroll
        for (int c = 0; c < width; ++c) p[r][c] = from[r * pitch + c];
    Pack result;
#pragma unroll
    for (int k = 0; k < PIXELS_EACH; ++k) {
        int gx = p[0][k + 2] - p[0][k] + 2 * (p[1][k + 2] - p[1][k]) + p[2][k + 2] - p[2][k];
        int gy = p[2][k] - p[0][k] + 2 * (p[2][k + 1] - p[0][k + 1]) + p[2][k + 2] - p[0][k + 2];
        int g = USE_ROOT ? (int)sqrtf((float)(gx * gx + gy * gy)) : abs(gx) + abs(gy);
        result.v[k] = min(g, 255);
    }
    output[y * (4096 / PIXELS_EACH) + i] = result;
}
