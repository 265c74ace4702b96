// y[lag] = sum of x[i] x[i + lag] in each frame; PARTS lanes share LAGS neighbouring lags.
constexpr int TEAM = 32 / LAGS * PARTS, FRAMES = TEAM >= 128 ? 1 : 128 / TEAM;

extern "C" __global__ void __launch_bounds__(TEAM * FRAMES)
autocorrelation_lag_lanes(const float* __restrict__ x, float* __restrict__ y)
{
    __shared__ float line[FRAMES][FRAME + 48];
    const int f = threadIdx.x / TEAM, t = threadIdx.x % TEAM, part = t % PARTS, lag = t / PARTS * LAGS;
    const int frame = blockIdx.x * FRAMES + f;
    for (int i = t; i < FRAME + 48; i += TEAM) line[f][i] = i < FRAME ? x[frame * FRAME + i] : 0.0f;
    __syncthreads();
    float acc[LAGS] = {};
#pragma unroll UNROLL
    for (int i = part; i < FRAME; i += PARTS) {
        const float v = line[f][i];
#pragma unroll
        for (int k = 0; k < LAGS; ++k) acc[k] += v * line[f][i + lag + k];
    }
#pragma unroll
    for (int k = 0; k < LAGS; ++k) {
#pragma unroll
        for (int d = PARTS / 2; d; d >>= 1) acc[k] += __shfl_xor_sync(~0u, acc[k], d);
        if (part == k) y[frame * 32 + lag + k] = acc[k];
    }
}
