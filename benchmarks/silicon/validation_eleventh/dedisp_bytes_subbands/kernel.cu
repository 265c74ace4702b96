// First stage of dedispersion: 256 channels of bytes to 32 subbands for 64 nominal measures, eight channels each.
constexpr int TIMES = 16384, PITCH = TIMES + 1024 + 16, BAND = 8;

extern "C" __global__ void __launch_bounds__(THREADS)
dedisp_bytes_subbands(const unsigned char* __restrict__ samples, const int* __restrict__ delay, float* __restrict__ out)
{
    const int t = (blockIdx.x * THREADS + threadIdx.x) * TT, band = blockIdx.y, dm0 = blockIdx.z * DMS;
    int sum[DMS][TT] = {};
#pragma unroll
    for (int c = 0; c < BAND; ++c) {
        const unsigned char* row = samples + (band * BAND + c) * PITCH;
#pragma unroll
        for (int d = 0; d < DMS; ++d) {
            const int at = t + delay[(dm0 + d) * 256 + band * BAND + c];
            if (WORDS) {
                const unsigned* p = reinterpret_cast<const unsigned*>(row) + at / 4;
                const unsigned w = __funnelshift_r(p[0], p[1], at % 4 * 8);
#pragma unroll
                for (int i = 0; i < TT; ++i) sum[d][i] += w >> 8 * i & 255;
            } else {
#pragma unroll
                for (int i = 0; i < TT; ++i) sum[d][i] += row[at + i];
            }
        }
    }
#pragma unroll
    for (int d = 0; d < DMS; ++d)
#pragma unroll
        for (int i = 0; i < TT; ++i) out[((size_t)(dm0 + d) * 32 + band) * TIMES + t + i] = sum[d][i];
}
