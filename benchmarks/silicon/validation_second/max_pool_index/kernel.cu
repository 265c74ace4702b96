// Pooling with stride 2 over 32 images of 64 channels of 112 x 112, and the flat index of each maximum for the
// backward pass. Windows of three overlap and begin one before the image.
extern "C" __global__ void max_pool_index(const float* __restrict__ bottom, float* __restrict__ top,
                                          int* __restrict__ mask)
{
    for (int e = 0; e < EACH; ++e) {
        const int index = (blockIdx.x * EACH + e) * THREADS + threadIdx.x;
        int pw, ph, c, n;
        if (NHWC) {
            c = index & 63;
            pw = (index >> 6) % 56;
            ph = (index >> 6) / 56 % 56;
            n = (index >> 6) / (56 * 56);
        } else {
            pw = index % 56;
            ph = index / 56 % 56;
            c = index / (56 * 56) & 63;
            n = index / (56 * 56) >> 6;
        }
        int hstart = ph * 2 - (WINDOW == 3), wstart = pw * 2 - (WINDOW == 3);
        const int hend = min(hstart + WINDOW, 112), wend = min(wstart + WINDOW, 112);
        hstart = max(hstart, 0);
        wstart = max(wstart, 0);
        float maxval = -3.4e38f;
        int maxidx = -1;
        for (int h = hstart; h < hend; ++h)
            for (int w = wstart; w < wend; ++w) {
                const int at = NHWC ? ((n * 112 + h) * 112 + w) * 64 + c : ((n * 64 + c) * 112 + h) * 112 + w;
                const float v = bottom[at];
                if (v > maxval) {
                    maxval = v;
                    maxidx = h * 112 + w;
                }
            }
        top[index] = maxval;
        mask[index] = maxidx;
    }
}
