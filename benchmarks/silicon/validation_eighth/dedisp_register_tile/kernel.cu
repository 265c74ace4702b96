// 128 trial delays of 16,384 samples; a channel has 17,408 samples, the longest delay is 508.
#if BYTES
typedef unsigned char Sample;
#else
typedef float Sample;
#endif
constexpr int T = 16384, LINE = 17408;

extern "C" __global__ void __launch_bounds__(128)
dedisp_register_tile(const Sample* __restrict__ x, float* __restrict__ y)
{
    const int t0 = blockIdx.x * 128 * SAMPLES + threadIdx.x, d0 = blockIdx.y * DMS;
    float sum[DMS][SAMPLES] = {};
#pragma unroll UNROLL
    for (int c = 0; c < 128; ++c)
#pragma unroll
        for (int d = 0; d < DMS; ++d) {
            const Sample* from = x + c * LINE + t0 + ((d0 + d) * c * c >> 12);
#pragma unroll
            for (int s = 0; s < SAMPLES; ++s) sum[d][s] += from[s * 128];
        }
#pragma unroll
    for (int d = 0; d < DMS; ++d)
#pragma unroll
        for (int s = 0; s < SAMPLES; ++s) y[(d0 + d) * T + t0 + s * 128] = sum[d][s];
}
