// A filter of 64 taps, every DECIMATION-th output; EACH outputs a thread THREADS apart, samples in shared memory or not.
constexpr int TAPS = 64, THREADS = 128, OUTS = THREADS * EACH, SPAN = OUTS * DECIMATION + TAPS;

extern "C" __global__ void __launch_bounds__(THREADS)
fir_decimate_polyphase(const float* __restrict__ x, const float* __restrict__ taps, float* __restrict__ y)
{
    __shared__ float weights[TAPS];
    if (threadIdx.x < TAPS) weights[threadIdx.x] = taps[threadIdx.x];
#if STAGED
    __shared__ float window[SPAN + SPAN / 32];
#pragma unroll 4
    for (int i = threadIdx.x; i < SPAN; i += THREADS) window[i + i / 32] = x[(size_t)blockIdx.x * OUTS * DECIMATION + i];
#define SAMPLE(i) window[(i) + (i) / 32]
#else
    const float* from = x + (size_t)blockIdx.x * OUTS * DECIMATION;
#define SAMPLE(i) from[i]
#endif
    __syncthreads();
    float sum[EACH] = {};
#pragma unroll 8
    for (int t = 0; t < TAPS; ++t)
#pragma unroll
        for (int e = 0; e < EACH; ++e) sum[e] += weights[t] * SAMPLE((threadIdx.x + e * THREADS) * DECIMATION + t);
#pragma unroll
    for (int e = 0; e < EACH; ++e) y[blockIdx.x * OUTS + threadIdx.x + e * THREADS] = sum[e];
}
