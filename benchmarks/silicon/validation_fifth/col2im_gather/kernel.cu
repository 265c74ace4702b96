// Every pixel of 64 x 64 planes gathers what windows around it hold; columns as [channel][tap][window].
constexpr int SIDE = 64, OUT = SIDE / STRIDE, PAD = KSIZE / 2;

extern "C" __global__ void __launch_bounds__(THREADS)
col2im_gather(const float* __restrict__ columns, float* __restrict__ image)
{
    int at = blockIdx.x * (THREADS * EACH) + threadIdx.x;
#pragma unroll
    for (int e = 0; e < EACH; ++e, at += THREADS) {
        const int px = at % SIDE, py = at / SIDE % SIDE, channel = at / (SIDE * SIDE);
        const float* from = columns + channel * (KSIZE * KSIZE * OUT * OUT);
        float sum = 0.0f;
#pragma unroll
        for (int i = 0; i < KSIZE; ++i)
#pragma unroll
            for (int j = 0; j < KSIZE; ++j) {
                const int sy = py + PAD - i, sx = px + PAD - j;
                if (sy >= 0 && sx >= 0 && sy % STRIDE == 0 && sx % STRIDE == 0 && sy / STRIDE < OUT && sx / STRIDE < OUT)
                    sum += from[((i * KSIZE + j) * OUT + sy / STRIDE) * OUT + sx / STRIDE];
            }
        image[at] = sum;
    }
}
