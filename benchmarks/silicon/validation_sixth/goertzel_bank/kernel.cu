constexpr int TONES = 256, LENGTH = 256, THREADS = TONES / TONES_EACH, U = UNROLL;

extern "C" __global__ void __launch_bounds__(THREADS) goertzel_bank(const float* __restrict__ samples, float* __restrict__ power)
{
    const float* x = samples + blockIdx.x * LENGTH;
#if STAGED
    __shared__ float kept[LENGTH];
    for (int i = threadIdx.x; i < LENGTH; i += THREADS) kept[i] = x[i];
    __syncthreads();
    x = kept;
#endif
    float c[TONES_EACH], s1[TONES_EACH] = {}, s2[TONES_EACH] = {};
#pragma unroll
    for (int k = 0; k < TONES_EACH; ++k) c[k] = 2.0f * cospif((threadIdx.x + k * THREADS + 0.5f) / TONES);
#pragma unroll U
    for (int i = 0; i < LENGTH; ++i) {
        const float now = x[i];
#pragma unroll
        for (int k = 0; k < TONES_EACH; ++k) {
            const float s = fmaf(c[k], s1[k], now - s2[k]);
            s2[k] = s1[k];
            s1[k] = s;
        }
    }
#pragma unroll
    for (int k = 0; k < TONES_EACH; ++k)
        power[blockIdx.x * TONES + threadIdx.x + k * THREADS] = s1[k] * s1[k] + s2[k] * s2[k] - c[k] * s1[k] * s2[k];
}
