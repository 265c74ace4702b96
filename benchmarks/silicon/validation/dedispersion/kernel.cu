// Dedispersion: for 64 trials, sums 128 channels of a time series, each read a delay later.
// A thread takes DMS_EACH trials and SAMPLES_EACH times, a block apart.
extern "C" __global__ void dedispersion(const float* __restrict__ input, float* __restrict__ output) {
    int t0 = blockIdx.x * BLOCK_SIZE * SAMPLES_EACH + threadIdx.x, dm0 = blockIdx.y * DMS_EACH;
    float sum[DMS_EACH][SAMPLES_EACH] = {};
    for (int channel = 0; channel < 128; ++channel) {
        const float* line = input + channel * 17408 + t0;
#pragma unroll
        for (int d = 0; d < DMS_EACH; ++d) {
            int delay = (dm0 + d) * (128 - channel) >> 3;
#pragma unroll
            for (int s = 0; s < SAMPLES_EACH; ++s) sum[d][s] += line[delay + s * BLOCK_SIZE];
        }
    }
#pragma unroll
    for (int d = 0; d < DMS_EACH; ++d)
#pragma unroll
        for (int s = 0; s < SAMPLES_EACH; ++s) output[(dm0 + d) * 16384 + t0 + s * BLOCK_SIZE] = sum[d][s];
}
