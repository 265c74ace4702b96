// y[d][t] = sum over channels of x[channel][t + delay(d, channel)], delays grow by 3 / 32 a channel.
constexpr int PITCH = 12288, SPAN = THREADS * SAMPLES, WINDOW = SPAN + 12 * DMS;

__device__ __forceinline__ int delay(int d, int channel)
{
    return d * channel * 3 >> 5;
}

extern "C" __global__ void __launch_bounds__(THREADS)
dedisp_window_tiles(const float* __restrict__ x, float* __restrict__ y)
{
    __shared__ float window[STAGED ? 8 : 1][STAGED ? WINDOW : 1];
    const int t0 = blockIdx.x * SPAN, d0 = blockIdx.y * DMS;
    float acc[DMS][SAMPLES] = {};
#pragma unroll 1
    for (int c0 = 0; c0 < 128; c0 += 8) {
        if (STAGED) {
            __syncthreads();
#pragma unroll
            for (int c = 0; c < 8; ++c)
                for (int i = threadIdx.x; i < WINDOW; i += THREADS)
                    window[c][i] = x[(c0 + c) * PITCH + min(t0 + delay(d0, c0 + c) + i, PITCH - 1)];
            __syncthreads();
        }
#pragma unroll 2
        for (int c = 0; c < 8; ++c) {
            const int base = delay(d0, c0 + c);
#pragma unroll
            for (int d = 0; d < DMS; ++d) {
                const int at = delay(d0 + d, c0 + c) - base + threadIdx.x;
#pragma unroll
                for (int s = 0; s < SAMPLES; ++s)
                    acc[d][s] += STAGED ? window[c][at + s * THREADS] : x[(c0 + c) * PITCH + t0 + base + at + s * THREADS];
            }
        }
    }
#pragma unroll
    for (int d = 0; d < DMS; ++d)
#pragma unroll
        for (int s = 0; s < SAMPLES; ++s) y[(d0 + d) * 8192 + t0 + s * THREADS + threadIdx.x] = acc[d][s];
}
