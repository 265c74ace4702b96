// Region of interest align over feature maps of 50 x 50: mean of SAMPLING x SAMPLING bilinear samples a bin.
constexpr int SIDE = 50;

extern "C" __global__ void roi_align(const float* __restrict__ map, const float4* __restrict__ rois,
                                     float* __restrict__ out, int channels, int count)
{
    for (int i = blockIdx.x * THREADS + threadIdx.x; i < count; i += gridDim.x * THREADS) {
        int c, px, py, roi;
        if (NHWC) {
            c = i % channels;
            px = i / channels % POOLED;
            py = i / (channels * POOLED) % POOLED;
            roi = i / (channels * POOLED * POOLED);
        } else {
            px = i % POOLED;
            py = i / POOLED % POOLED;
            c = i / (POOLED * POOLED) % channels;
            roi = i / (POOLED * POOLED * channels);
        }
        const float4 box = rois[roi];   // centre and size, as shares of the map
        const float width = fmaxf(box.z * 0.5f * SIDE, 1.0f), height = fmaxf(box.w * 0.5f * SIDE, 1.0f);
        const float left = box.x * SIDE - width * 0.5f, top = box.y * SIDE - height * 0.5f;
        const float bin_w = width / POOLED, bin_h = height / POOLED;
        float sum = 0.0f;
        for (int iy = 0; iy < SAMPLING; ++iy) {
            float y = top + py * bin_h + (iy + 0.5f) * bin_h / SAMPLING;
            for (int ix = 0; ix < SAMPLING; ++ix) {
                float x = left + px * bin_w + (ix + 0.5f) * bin_w / SAMPLING;
                if (y < -1.0f || y > SIDE || x < -1.0f || x > SIDE) continue;
                const float yc = fmaxf(y, 0.0f), xc = fmaxf(x, 0.0f);
                const int y0 = min((int)yc, SIDE - 1), x0 = min((int)xc, SIDE - 1);
                const int y1 = min(y0 + 1, SIDE - 1), x1 = min(x0 + 1, SIDE - 1);
                const float ly = yc - y0, lx = xc - x0;
                float v00, v01, v10, v11;
                if (NHWC) {
                    v00 = map[(y0 * SIDE + x0) * channels + c];
                    v01 = map[(y0 * SIDE + x1) * channels + c];
                    v10 = map[(y1 * SIDE + x0) * channels + c];
                    v11 = map[(y1 * SIDE + x1) * channels + c];
                } else {
                    const float* plane = map + c * SIDE * SIDE;
                    v00 = plane[y0 * SIDE + x0];
                    v01 = plane[y0 * SIDE + x1];
                    v10 = plane[y1 * SIDE + x0];
                    v11 = plane[y1 * SIDE + x1];
                }
                sum += (1.0f - ly) * ((1.0f - lx) * v00 + lx * v01) + ly * ((1.0f - lx) * v10 + lx * v11);
            }
        }
        out[i] = sum * (1.0f / (SAMPLING * SAMPLING));
    }
}
