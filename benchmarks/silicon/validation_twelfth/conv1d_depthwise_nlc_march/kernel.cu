// Causal depthwise convolution of sequences by channels last; a thread goes along RUN steps with its window in registers.
constexpr int LENGTH = 4096, CHANNELS = 256;
struct alignas(VEC * 4) Pack { float v[VEC]; };

extern "C" __global__ void __launch_bounds__(THREADS)
conv1d_depthwise_nlc_march(const Pack* __restrict__ x, const Pack* __restrict__ filter, Pack* __restrict__ y)
{
    constexpr int C = CHANNELS / VEC, STEPS = RUN < 8 ? RUN : 8;
    const int id = blockIdx.x * THREADS + threadIdx.x, c = id % C, t0 = id / C % (LENGTH / RUN) * RUN;
    const size_t base = (size_t)(id / C / (LENGTH / RUN)) * LENGTH * C + c;
    Pack w[TAPS], window[TAPS];
#pragma unroll
    for (int k = 0; k < TAPS; ++k) w[k] = filter[k * C + c];
#pragma unroll
    for (int k = 1; k < TAPS; ++k) {
        const int t = t0 - TAPS + k;
        if (t >= 0) window[k] = x[base + (size_t)t * C];
        else
#pragma unroll
            for (int j = 0; j < VEC; ++j) window[k].v[j] = 0.0f;
    }
#pragma unroll STEPS
    for (int t = 0; t < RUN; ++t) {
#pragma unroll
        for (int k = 1; k < TAPS; ++k) window[k - 1] = window[k];
        window[TAPS - 1] = x[base + (size_t)(t0 + t) * C];
        Pack sum;
#pragma unroll
        for (int j = 0; j < VEC; ++j) {
            sum.v[j] = 0.0f;
#pragma unroll
            for (int k = 0; k < TAPS; ++k) sum.v[j] += w[k].v[j] * window[k].v[j];
            sum.v[j] = __fdividef(sum.v[j], 1.0f + __expf(-sum.v[j]));
        }
        y[base + (size_t)(t0 + t) * C] = sum;
    }
}
