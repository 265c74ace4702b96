// Back projection: each pixel adds an interpolated reading of every angle.
constexpr int N = 512, DETECTORS = 1024, ANGLES = 192;

extern "C" __global__ void __launch_bounds__(BX * 8)
backproject_f32_angles(const float* __restrict__ readings, const float2* __restrict__ turns, float* __restrict__ picture)
{
    constexpr int U = UNROLL;
    __shared__ float2 kept[STAGED ? ANGLES : 1];
    const int x = blockIdx.x * BX + threadIdx.x, y0 = blockIdx.y * 8 * PER + threadIdx.y;
    if (STAGED) {
        for (int i = threadIdx.y * BX + threadIdx.x; i < ANGLES; i += BX * 8) kept[STAGED ? i : 0] = turns[i];
        __syncthreads();
    }
    float sum[PER] = {};
#pragma unroll U
    for (int a = 0; a < ANGLES; ++a) {
        const float2 t = STAGED ? kept[STAGED ? a : 0] : turns[a];
        const float* row = readings + a * DETECTORS;
#pragma unroll
        for (int p = 0; p < PER; ++p) {
            const float at = (x * t.x + (y0 + p * 8) * t.y) * 0.99f;
            const int i = (int)at;
            const float f = at - i, low = row[i], high = row[i + 1];
            sum[p] += low + f * (high - low);
        }
    }
#pragma unroll
    for (int p = 0; p < PER; ++p) picture[(y0 + p * 8) * N + x] = sum[p] * (1.0f / ANGLES);
}
