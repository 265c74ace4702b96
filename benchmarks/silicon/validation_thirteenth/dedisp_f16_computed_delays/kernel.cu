// Dedispersion of FP16 samples; the delay of a channel is the measure times its slope, rounded down.
#include <cuda_fp16.h>
constexpr int CHANNELS = 128, SAMPLES = 16384, LD = SAMPLES + 1024;

extern "C" __global__ void __launch_bounds__(THREADS)
dedisp_f16_computed_delays(const __half* __restrict__ samples, const float* __restrict__ slope, float* __restrict__ sums)
{
    constexpr int U = UNROLL;
    const int t0 = blockIdx.x * THREADS * TIMES + threadIdx.x, dm0 = blockIdx.y * DMS;
    float acc[DMS][TIMES] = {};
#pragma unroll U
    for (int c = 0; c < CHANNELS; ++c) {
        const float s = slope[c] * 4.0f;
#pragma unroll
        for (int d = 0; d < DMS; ++d) {
            const __half* from = samples + c * LD + t0 + (int)((dm0 + d) * s);
#pragma unroll
            for (int i = 0; i < TIMES; ++i) acc[d][i] += __half2float(from[i * THREADS]);
        }
    }
#pragma unroll
    for (int d = 0; d < DMS; ++d)
#pragma unroll
        for (int i = 0; i < TIMES; ++i) sums[(dm0 + d) * SAMPLES + t0 + i * THREADS] = acc[d][i];
}
