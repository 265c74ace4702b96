// 3,072 spectra from 3,080 rows of samples; spectrum t takes rows t to t + TAPS - 1.
constexpr int CHANNELS = 1024;

extern "C" __global__ void __launch_bounds__(256)
polyphase_filterbank(const float* __restrict__ samples, const signed char* __restrict__ raw,
                     const float* __restrict__ window, float* __restrict__ out)
{
    const int channel = blockIdx.x * 256 + threadIdx.x, first = blockIdx.y * EACH;
#if BYTES
    const signed char* from = raw + (size_t)first * CHANNELS + channel;
#else
    const float* from = samples + (size_t)first * CHANNELS + channel;
#endif
    float h[TAPS];
#pragma unroll
    for (int k = 0; k < TAPS; ++k) h[k] = window[k * CHANNELS + channel];
#if SLIDING
    float x[TAPS];
#pragma unroll
    for (int k = 0; k < TAPS - 1; ++k) x[k + 1] = from[k * CHANNELS];
#pragma unroll
    for (int t = 0; t < EACH; ++t) {
#pragma unroll
        for (int k = 0; k < TAPS - 1; ++k) x[k] = x[k + 1];
        x[TAPS - 1] = from[(t + TAPS - 1) * CHANNELS];
        float sum = 0.0f;
#pragma unroll
        for (int k = 0; k < TAPS; ++k) sum += h[k] * x[k];
        out[(size_t)(first + t) * CHANNELS + channel] = sum;
    }
#else
#pragma unroll 1
    for (int t = 0; t < EACH; ++t) {
        float sum = 0.0f;
#pragma unroll
        for (int k = 0; k < TAPS; ++k) sum += h[k] * (float)from[(t + k) * CHANNELS];
        out[(size_t)(first + t) * CHANNELS + channel] = sum;
    }
#endif
}
