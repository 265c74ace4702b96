// Correlations of all pairs of antennas in every frequency channel, summed over time, as a radio interferometer needs
// them. TILE x TILE pairs a thread, a chunk of times in shared memory, samples in FP32 or int8.
constexpr int ANTENNAS = 128, TIMES = 128, WIDTH = 16 * TILE;

#if BYTES
typedef char2 Sample;
#else
typedef float2 Sample;
#endif

extern "C" __global__ void __launch_bounds__(256)
station_correlate(const Sample* __restrict__ samples, float2* __restrict__ out)
{
#if LOWER
    if (blockIdx.x > blockIdx.y) return;
#endif
    __shared__ float2 first[CHUNK][WIDTH], second[CHUNK][WIDTH];
    const int t = threadIdx.x, tx = t % 16, ty = t / 16, channel = blockIdx.z;
    const Sample* from = samples + (size_t)channel * TIMES * ANTENNAS;
    float2 acc[TILE][TILE] = {};
    for (int t0 = 0; t0 < TIMES; t0 += CHUNK) {
#pragma unroll
        for (int i = t; i < CHUNK * WIDTH; i += 256) {
            const int time = i / WIDTH, antenna = i % WIDTH;
            const Sample a = from[(t0 + time) * ANTENNAS + blockIdx.y * WIDTH + antenna];
            const Sample b = from[(t0 + time) * ANTENNAS + blockIdx.x * WIDTH + antenna];
            first[time][antenna] = make_float2(a.x, a.y);
            second[time][antenna] = make_float2(b.x, b.y);
        }
        __syncthreads();
#pragma unroll 4
        for (int time = 0; time < CHUNK; ++time) {
            float2 a[TILE], b[TILE];
#pragma unroll
            for (int i = 0; i < TILE; ++i) {
                a[i] = first[time][ty + 16 * i];
                b[i] = second[time][tx + 16 * i];
            }
#pragma unroll
            for (int i = 0; i < TILE; ++i)
#pragma unroll
                for (int j = 0; j < TILE; ++j) {
                    acc[i][j].x += a[i].x * b[j].x;
                    acc[i][j].x += a[i].y * b[j].y;
                    acc[i][j].y += a[i].y * b[j].x;
                    acc[i][j].y -= a[i].x * b[j].y;
                }
        }
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < TILE; ++i)
#pragma unroll
        for (int j = 0; j < TILE; ++j)
            out[((size_t)channel * ANTENNAS + blockIdx.y * WIDTH + ty + 16 * i) * ANTENNAS + blockIdx.x * WIDTH + tx + 16 * j] =
                acc[i][j];
}
