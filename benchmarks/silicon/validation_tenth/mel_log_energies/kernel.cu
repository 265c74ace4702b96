// Sums grow with their places: sum m begins at bin m^2 / 16 + 2 m and has 8 + m / 2 bins.
constexpr int THREADS = 64 * LANES;

extern "C" __global__ void __launch_bounds__(THREADS)
mel_log_energies(const float2* __restrict__ spectrum, float* __restrict__ mel)
{
    __shared__ float power[STAGED ? FRAMES * 512 : 1];
    const float2* from = spectrum + (size_t)blockIdx.x * FRAMES * 512;
    if (STAGED) {
#pragma unroll 4
        for (int i = threadIdx.x; i < FRAMES * 512; i += THREADS) {
            const float2 p = from[i];
            power[STAGED ? i : 0] = p.x * p.x + p.y * p.y;
        }
        __syncthreads();
    }
    const int m = threadIdx.x / LANES, lane = threadIdx.x % LANES, begin = m * m / 16 + 2 * m, wide = 8 + m / 2;
    const float middle = 0.5f * (wide - 1), by = 2.0f / (wide + 1);
    float sum[FRAMES] = {};
#pragma unroll 1
    for (int i = lane; i < wide; i += LANES) {
        const float w = 1.0f - fabsf(i - middle) * by;
#pragma unroll
        for (int f = 0; f < FRAMES; ++f) {
            float e;
            if (STAGED) {
                e = power[STAGED ? f * 512 + begin + i : 0];
            } else {
                const float2 p = from[f * 512 + begin + i];
                e = p.x * p.x + p.y * p.y;
            }
            sum[f] += w * e;
        }
    }
#pragma unroll
    for (int f = 0; f < FRAMES; ++f) {
#pragma unroll
        for (int d = LANES / 2; d; d >>= 1) sum[f] += __shfl_xor_sync(~0u, sum[f], d);
        if (lane == 0) mel[(blockIdx.x * FRAMES + f) * 64 + m] = FAST ? __logf(sum[f] + 1.0e-6f) : logf(sum[f] + 1.0e-6f);
    }
}
