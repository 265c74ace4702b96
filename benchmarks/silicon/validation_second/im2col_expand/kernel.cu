// im2col of one image with 64 channels of 112 x 112 and zero padding. Caffe's kernel gives a thread a position in a
// channel and all its taps; PER_ELEMENT gives it a single element of the result.
constexpr int HEIGHT = 112, WIDTH = 112, PADDING = KSIZE / 2, OUT = 112 / STRIDE;

extern "C" __global__ void im2col_expand(const float* __restrict__ image, float* __restrict__ patches)
{
    const int index = blockIdx.x * THREADS + threadIdx.x;
#if PER_ELEMENT
    if (index >= 64 * KSIZE * KSIZE * OUT * OUT) return;
    const int w_out = index % OUT, h_out = index / OUT % OUT, row = index / (OUT * OUT);
    const int kw = row % KSIZE, kh = row / KSIZE % KSIZE, channel = row / (KSIZE * KSIZE);
    const int h = h_out * STRIDE - PADDING + kh, w = w_out * STRIDE - PADDING + kw;
    patches[index] = h >= 0 && w >= 0 && h < HEIGHT && w < WIDTH ? image[(channel * HEIGHT + h) * WIDTH + w] : 0.0f;
#else
    if (index >= 64 * OUT * OUT) return;
    const int w_out = index % OUT, h_out = index / OUT % OUT, channel = index / (OUT * OUT);
    const int h0 = h_out * STRIDE - PADDING, w0 = w_out * STRIDE - PADDING;
    const float* from = image + channel * HEIGHT * WIDTH;
    float* to = patches + (channel * KSIZE * KSIZE * OUT + h_out) * OUT + w_out;
    for (int i = 0; i < KSIZE; ++i)
        for (int j = 0; j < KSIZE; ++j) {
            const int h = h0 + i, w = w0 + j;
            *to = h >= 0 && w >= 0 && h < HEIGHT && w < WIDTH ? from[h * WIDTH + w] : 0.0f;
            to += OUT * OUT;
        }
#endif
}
