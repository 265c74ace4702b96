// Segmentation maps of 128 x 256 pixels; blockIdx.y is the image.
constexpr int PIXELS = 32768;

struct alignas(EACH * 4) Pack { float v[EACH]; };

extern "C" __global__ void __launch_bounds__(128) channel_softmax_nchw(const Pack* __restrict__ scores, Pack* __restrict__ probs)
{
    const size_t first = (size_t)blockIdx.y * CHANNELS * (PIXELS / EACH) + blockIdx.x * 128 + threadIdx.x;
    float top[EACH], sum[EACH];
#if KEPT
    Pack x[CHANNELS];
#pragma unroll
    for (int c = 0; c < CHANNELS; ++c) x[c] = scores[first + c * (PIXELS / EACH)];
#pragma unroll
    for (int p = 0; p < EACH; ++p) {
        top[p] = x[0].v[p];
#pragma unroll
        for (int c = 1; c < CHANNELS; ++c) top[p] = fmaxf(top[p], x[c].v[p]);
        sum[p] = 0.0f;
#pragma unroll
        for (int c = 0; c < CHANNELS; ++c) {
            x[c].v[p] = __expf(x[c].v[p] - top[p]);
            sum[p] += x[c].v[p];
        }
        sum[p] = 1.0f / sum[p];
    }
#pragma unroll
    for (int c = 0; c < CHANNELS; ++c) {
#pragma unroll
        for (int p = 0; p < EACH; ++p) x[c].v[p] *= sum[p];
        probs[first + c * (PIXELS / EACH)] = x[c];
    }
#else
#pragma unroll
    for (int p = 0; p < EACH; ++p) {
        top[p] = -1e30f;
        sum[p] = 0.0f;
    }
#pragma unroll 4
    for (int c = 0; c < CHANNELS; ++c) {
        const Pack x = scores[first + c * (PIXELS / EACH)];
#pragma unroll
        for (int p = 0; p < EACH; ++p) {
            const float now = fmaxf(top[p], x.v[p]);
            sum[p] = sum[p] * __expf(top[p] - now) + __expf(x.v[p] - now);
            top[p] = now;
        }
    }
#pragma unroll
    for (int p = 0; p < EACH; ++p) sum[p] = 1.0f / sum[p];
#pragma unroll 4
    for (int c = 0; c < CHANNELS; ++c) {
        Pack x = scores[first + c * (PIXELS / EACH)];
#pragma unroll
        for (int p = 0; p < EACH; ++p) x.v[p] = __expf(x.v[p] - top[p]) * sum[p];
        probs[first + c * (PIXELS / EACH)] = x;
    }
#endif
}
