// Six signals of 128 channels and 2,048 steps; weights as [out][in][tap]; zeros beside the signal.
constexpr int LENGTH = 2048, CHANNELS = 128, GROUP = 8, TAPS = 9, PAD = 4, SPAN = 128 * STEPS;

extern "C" __global__ void __launch_bounds__(128)
grouped_conv1d_k9(const float* __restrict__ x, const float* __restrict__ w, float* __restrict__ y)
{
    const int first = blockIdx.y * OUTS, start = blockIdx.x * SPAN, own = threadIdx.x * STEPS;
    const float* from = x + ((size_t)blockIdx.z * CHANNELS + first / GROUP * GROUP) * LENGTH;
    __shared__ float ws[OUTS * GROUP * TAPS];
    for (int i = threadIdx.x; i < OUTS * GROUP * TAPS; i += 128) ws[i] = w[first * GROUP * TAPS + i];
#if STAGED
    __shared__ float xs[GROUP][SPAN + 2 * PAD];
    for (int c = 0; c < GROUP; ++c)
        for (int i = threadIdx.x; i < SPAN + 2 * PAD; i += 128) {
            const int t = start + i - PAD;
            xs[c][i] = t >= 0 && t < LENGTH ? from[c * LENGTH + t] : 0.0f;
        }
#endif
    __syncthreads();
    float acc[OUTS][STEPS] = {};
#pragma unroll 2
    for (int c = 0; c < GROUP; ++c) {
        float v[STEPS + 2 * PAD];
#pragma unroll
        for (int i = 0; i < STEPS + 2 * PAD; ++i) {
#if STAGED
            v[i] = xs[c][own + i];
#else
            const int t = start + own + i - PAD;
            v[i] = t >= 0 && t < LENGTH ? from[c * LENGTH + t] : 0.0f;
#endif
        }
#pragma unroll
        for (int o = 0; o < OUTS; ++o)
#pragma unroll
            for (int k = 0; k < TAPS; ++k) {
                const float f = ws[(o * GROUP + c) * TAPS + k];
#pragma unroll
                for (int s = 0; s < STEPS; ++s) acc[o][s] += f * v[s + k];
            }
    }
#pragma unroll
    for (int o = 0; o < OUTS; ++o)
#pragma unroll
        for (int s = 0; s < STEPS; ++s)
            y[((size_t)blockIdx.z * CHANNELS + first + o) * LENGTH + start + own + s] = acc[o][s];
}
