// sums[trial][t] = sum over channels of x[channel][t + delay]; a table gives the delays.
constexpr int CHANNELS = 256, SAMPLES = 69632, OUT = 65536;

extern "C" __global__ void __launch_bounds__(THREADS)
dedisp_u16_trials_in_thread(const unsigned short* __restrict__ x, const int* __restrict__ delays, float* __restrict__ sums)
{
    __shared__ int table[STAGED ? CHANNELS * TRIALS : 1];
    const int trial0 = blockIdx.y * TRIALS, t0 = blockIdx.x * THREADS * TIMES + threadIdx.x;
    if (STAGED) {
        for (int i = threadIdx.x; i < CHANNELS * TRIALS; i += THREADS) table[i] = delays[(trial0 + i % TRIALS) * CHANNELS + i / TRIALS];
        __syncthreads();
    }
    unsigned sum[TRIALS][TIMES] = {};
#pragma unroll 2
    for (int c = 0; c < CHANNELS; ++c) {
        const unsigned short* row = x + c * SAMPLES + t0;
#pragma unroll
        for (int k = 0; k < TRIALS; ++k) {
            const int d = STAGED ? table[c * TRIALS + k] : delays[(trial0 + k) * CHANNELS + c];
#pragma unroll
            for (int i = 0; i < TIMES; ++i) sum[k][i] += row[d + i * THREADS];
        }
    }
#pragma unroll
    for (int k = 0; k < TRIALS; ++k)
#pragma unroll
        for (int i = 0; i < TIMES; ++i) sums[(trial0 + k) * OUT + t0 + i * THREADS] = (float)sum[k][i];
}
