// Power of 32 beams at 16,384 times; samples as [antenna][time], weights as [beam][antenna].
constexpr int TIMES = 16384, ANTENNAS = 64;

extern "C" __global__ void __launch_bounds__(128)
beamform_weights(const unsigned* __restrict__ samples, const float2* __restrict__ weights, float* __restrict__ power)
{
    __shared__ float2 w[ANTENNAS][BEAMS_EACH];
    const int t = threadIdx.x, beam = blockIdx.y * BEAMS_EACH, time = blockIdx.x * (128 * TIMES_EACH) + t;
    for (int i = t; i < ANTENNAS * BEAMS_EACH; i += 128)
        w[i / BEAMS_EACH][i % BEAMS_EACH] = weights[(beam + i % BEAMS_EACH) * ANTENNAS + i / BEAMS_EACH];
    __syncthreads();
    float2 sum[TIMES_EACH][BEAMS_EACH] = {};
#pragma unroll 4
    for (int a = 0; a < ANTENNAS; ++a) {
        float2 x[TIMES_EACH];
#pragma unroll
        for (int k = 0; k < TIMES_EACH; ++k) {
#if BYTES
            const char2 s = ((const char2*)samples)[a * TIMES + time + k * 128];
            x[k] = make_float2(s.x, s.y);
#else
            const float2 s = ((const float2*)samples)[a * TIMES + time + k * 128];
            x[k] = make_float2(s.x, s.y);
#endif
        }
#pragma unroll
        for (int b = 0; b < BEAMS_EACH; ++b) {
            const float2 v = w[a][b];
#pragma unroll
            for (int k = 0; k < TIMES_EACH; ++k) {
                sum[k][b].x += v.x * x[k].x - v.y * x[k].y;
                sum[k][b].y += v.x * x[k].y + v.y * x[k].x;
            }
        }
    }
#pragma unroll
    for (int b = 0; b < BEAMS_EACH; ++b)
#pragma unroll
        for (int k = 0; k < TIMES_EACH; ++k)
            power[(beam + b) * TIMES + time + k * 128] = sum[k][b].x * sum[k][b].x + sum[k][b].y * sum[k][b].y;
}
