// Average pooling of NCHW planes, padding left out of the count; EACH neighbouring results a thread.
constexpr int H = 112, W = 112, P = KSIZE == 3 ? 1 : 0;
constexpr int OH = (H + 2 * P - KSIZE) / STRIDE + 1, OW = (W + 2 * P - KSIZE) / STRIDE + 1, GROUPS = (OW + EACH - 1) / EACH;

extern "C" __global__ void avg_pool_windows(const float* __restrict__ x, float* __restrict__ y, int planes)
{
    const int i = blockIdx.x * THREADS + threadIdx.x;
    if (i >= planes * OH * GROUPS) return;
    const int group = i % GROUPS, oy = i / GROUPS % OH, plane = i / (GROUPS * OH);
    const float* from = x + (size_t)plane * H * W;
    const int y0 = max(oy * STRIDE - P, 0), y1 = min(oy * STRIDE - P + KSIZE, H);
#pragma unroll
    for (int e = 0; e < EACH; ++e) {
        const int ox = group * EACH + e;
        if (ox >= OW) break;
        const int x0 = max(ox * STRIDE - P, 0), x1 = min(ox * STRIDE - P + KSIZE, W);
        float sum = 0.0f;
        for (int yy = y0; yy < y1; ++yy)
            for (int xx = x0; xx < x1; ++xx) sum += from[yy * W + xx];
        y[((size_t)plane * OH + oy) * OW + ox] = sum / ((y1 - y0) * (x1 - x0));
    }
}
