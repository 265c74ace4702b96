// Escape time of the Mandelbrot set: a floating-point loop whose length varies from pixel to pixel.
extern "C" __global__ void mandelbrot(int* __restrict__ out, int width, int limit) {
    constexpr int unroll = UNROLL;
    int px = blockIdx.x * BLOCK_X + threadIdx.x;
    int py = blockIdx.y * BLOCK_Y + threadIdx.y;
    float cx = -2.0f + 3.0f * px / width;
    float cy = -1.5f + 3.0f * py / width;
    float x = 0.0f, y = 0.0f;
    int count = 0;
#pragma unroll unroll
    while (count < limit && x * x + y * y < 4.0f) {
        float t = x * x - y * y + cx;
        y = 2.0f * x * y + cy;
        x = t;
        ++count;
    }
    out[py * width + px] = count;
}
