// Rates of 8,192 coupled oscillators whose coupling falls with their distance on a ring; sources are split over eight blocks.
constexpr int N = 8192, PART = N / 8;

extern "C" __global__ void __launch_bounds__(128)
kuramoto_coupling_tiles(const float* __restrict__ phase, float* __restrict__ rate)
{
    __shared__ float tile[STAGED ? PART : 1];
    const int first = blockIdx.x * 128 * EACH + threadIdx.x, j0 = blockIdx.y * PART;
    if (STAGED) {
        for (int i = threadIdx.x; i < PART; i += 128) tile[STAGED ? i : 0] = phase[j0 + i];
        __syncthreads();
    }
    float own[EACH], sum[EACH] = {};
#pragma unroll
    for (int e = 0; e < EACH; ++e) own[e] = phase[first + e * 128];
    constexpr int U = UNROLL;
#pragma unroll U
    for (int j = 0; j < PART; ++j) {
        const float p = STAGED ? tile[STAGED ? j : 0] : __ldg(phase + j0 + j);
#pragma unroll
        for (int e = 0; e < EACH; ++e) {
            const int far = abs(first + e * 128 - j0 - j), distance = min(far, N - far);
            const float c = __fdividef(1.0f, 1.0f + 0.01f * distance);
            sum[e] += c * (FAST ? __sinf(p - own[e]) : sinf(p - own[e]));
        }
    }
#pragma unroll
    for (int e = 0; e < EACH; ++e) rate[blockIdx.y * N + first + e * 128] = sum[e];
}
