// 192 series of 32,768 samples with periods from 48.3 samples on.
extern "C" __global__ void __launch_bounds__(256) pulsar_fold(const float* __restrict__ samples, float* __restrict__ profile)
{
    __shared__ float sums[COPIES][BINS];
    for (int i = threadIdx.x; i < COPIES * BINS; i += 256) sums[i / BINS][i % BINS] = 0.0f;
    __syncthreads();
    const int series = blockIdx.y, first = blockIdx.x * 256 * EACH + threadIdx.x;
    const float rate = 1.0f / (48.3f + 0.37f * series);
    float* mine = sums[threadIdx.x / 32 % COPIES];
#pragma unroll
    for (int e = 0; e < EACH; ++e) {
        const int t = first + e * 256;
        const float turns = t * rate;
        const int bin = min((int)((turns - floorf(turns)) * BINS), BINS - 1);
        atomicAdd(mine + bin, samples[(size_t)series * 32768 + t]);
    }
    __syncthreads();
    for (int b = threadIdx.x; b < BINS; b += 256) {
        float sum = 0.0f;
#pragma unroll
        for (int c = 0; c < COPIES; ++c) sum += sums[c][b];
        atomicAdd(profile + series * BINS + b, sum);
    }
}
