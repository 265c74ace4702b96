// Escape times of z^2 + c over 1,024 x 1,024 pixels; the lanes of a warp leave the loop one by one.
// Blocks of 128 threads in three shapes, PIXELS_EACH neighbours a thread.
extern "C" __global__ void julia_set(int* __restrict__ output) {
    int y = blockIdx.y * (128 / BLOCK_X) + threadIdx.y;
    for (int p = 0; p < PIXELS_EACH; ++p) {
        int x = (blockIdx.x * BLOCK_X + threadIdx.x) * PIXELS_EACH + p, count = 0;
        float a = (x - 512) * 0.003f, b = (y - 512) * 0.003f;
        while (count < LIMIT && a * a + b * b < 4.0f) {
            float t = a * a - b * b - 0.745f;
            b = 2.0f * a * b + 0.113f;
            a = t;
            ++count;
        }
        output[y * 1024 + x] = count;
    }
}
