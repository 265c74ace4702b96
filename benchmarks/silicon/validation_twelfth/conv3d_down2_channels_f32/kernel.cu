// Convolution of 2 x 2 x 2 with stride two of a volume of four channels to 16; OT output channels and VEC places a thread.
constexpr int N = 128, M = 64, CI = 4, CO = 16;

extern "C" __global__ void __launch_bounds__(THREADS)
conv3d_down2_channels_f32(const float* __restrict__ in, const float* __restrict__ weight, float* __restrict__ out)
{
    __shared__ float ws[STAGED ? CI * 8 * OT : 1];
    const int o0 = blockIdx.y * OT;
    if (STAGED) {
        for (int i = threadIdx.x; i < CI * 8 * OT; i += THREADS) ws[STAGED ? i : 0] = weight[(o0 + i % OT) * CI * 8 + i / OT];
        __syncthreads();
    }
    const int id = blockIdx.x * THREADS + threadIdx.x, x = id % (M / VEC) * VEC, y = id / (M / VEC) % M, z = id / (M / VEC) / M;
    float sum[OT][VEC] = {};
#pragma unroll
    for (int c = 0; c < CI; ++c)
#pragma unroll
        for (int r = 0; r < 4; ++r) {
            const float* from = in + ((size_t)(c * N + 2 * z + r / 2) * N + 2 * y + r % 2) * N + 2 * x;
            float2 p[VEC];
#pragma unroll
            for (int j = 0; j < VEC; ++j) p[j] = reinterpret_cast<const float2*>(from)[j];
#pragma unroll
            for (int o = 0; o < OT; ++o) {
                const int tap = c * 8 + r * 2;
                const float a = STAGED ? ws[STAGED ? tap * OT + o : 0] : weight[(o0 + o) * CI * 8 + tap];
                const float b = STAGED ? ws[STAGED ? (tap + 1) * OT + o : 0] : weight[(o0 + o) * CI * 8 + tap + 1];
#pragma unroll
                for (int j = 0; j < VEC; ++j) sum[o][j] += a * p[j].x + b * p[j].y;
            }
        }
#pragma unroll
    for (int o = 0; o < OT; ++o)
#pragma unroll
        for (int j = 0; j < VEC; ++j) out[((size_t)((o0 + o) * M + z) * M + y) * M + x + j] = fmaxf(sum[o][j], 0.0f);
}
