// y = tanh(filter) * sigmoid(gate) over 32 channels of 8,192 steps; weights as [in][tap][filter or gate][out].
constexpr int STEPS = 8192, CHANNELS = 32;

extern "C" __global__ void __launch_bounds__(128)
wavenet_gate(const float* __restrict__ x, const float* __restrict__ w, float* __restrict__ y)
{
    const int time = blockIdx.x * 128 + threadIdx.x, first = blockIdx.y * GATES;
    const size_t base = (size_t)blockIdx.z * CHANNELS * STEPS;
#if WEIGHTS_SHARED
    __shared__ float weights[CHANNELS][4][GATES];
    for (int i = threadIdx.x; i < CHANNELS * 4 * GATES; i += 128)
        weights[i / (4 * GATES)][i / GATES % 4][i % GATES] = w[i / GATES * CHANNELS + first + i % GATES];
    __syncthreads();
#endif
    float f[GATES] = {}, g[GATES] = {};
#pragma unroll 2
    for (int c = 0; c < CHANNELS; ++c) {
        const float now = x[base + c * STEPS + time];
        const float past = time >= DILATION ? x[base + c * STEPS + time - DILATION] : 0.0f;
#pragma unroll
        for (int k = 0; k < GATES; ++k) {
#if WEIGHTS_SHARED
            f[k] += past * weights[c][0][k] + now * weights[c][2][k];
            g[k] += past * weights[c][1][k] + now * weights[c][3][k];
#else
            f[k] += past * w[(c * 4 + 0) * CHANNELS + first + k] + now * w[(c * 4 + 2) * CHANNELS + first + k];
            g[k] += past * w[(c * 4 + 1) * CHANNELS + first + k] + now * w[(c * 4 + 3) * CHANNELS + first + k];
#endif
        }
    }
#pragma unroll
    for (int k = 0; k < GATES; ++k) {
        const float u = f[k] - 8.0f * 2.0f, v = g[k] - 8.0f * 2.0f;
        const float t = 1.0f - 2.0f / (__expf(2.0f * u) + 1.0f);
        y[base + (first + k) * STEPS + time] = t / (1.0f + __expf(-v));
    }
}
