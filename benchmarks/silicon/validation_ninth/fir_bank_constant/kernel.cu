// y[f][t] = sum over i of w[f][i] x[t + i]; samples of a thread are 256 apart.
__constant__ float bank[8 * TAPS];

extern "C" __global__ void __launch_bounds__(256)
fir_bank_constant(const float* __restrict__ x, const float* __restrict__ w, float* __restrict__ y)
{
    constexpr int SPAN = 256 * SAMPLES + TAPS;
    __shared__ float xs[SPAN], ws[CONSTANT ? 1 : FILTERS * TAPS];
    const int t0 = blockIdx.x * 256 * SAMPLES, f0 = blockIdx.y * FILTERS;
    for (int i = threadIdx.x; i < SPAN; i += 256) xs[i] = x[t0 + i];
    if (!CONSTANT)
        for (int i = threadIdx.x; i < FILTERS * TAPS; i += 256) ws[i] = w[f0 * TAPS + i];
    __syncthreads();
    float acc[FILTERS][SAMPLES] = {};
#pragma unroll 8
    for (int i = 0; i < TAPS; ++i) {
        float v[SAMPLES];
#pragma unroll
        for (int s = 0; s < SAMPLES; ++s) v[s] = xs[s * 256 + threadIdx.x + i];
#pragma unroll
        for (int f = 0; f < FILTERS; ++f) {
            const float c = CONSTANT ? bank[(f0 + f) * TAPS + i] : ws[f * TAPS + i];
#pragma unroll
            for (int s = 0; s < SAMPLES; ++s) acc[f][s] += c * v[s];
        }
    }
#pragma unroll
    for (int f = 0; f < FILTERS; ++f)
#pragma unroll
        for (int s = 0; s < SAMPLES; ++s) y[(f0 + f) * 1048576 + t0 + s * 256 + threadIdx.x] = acc[f][s];
}
