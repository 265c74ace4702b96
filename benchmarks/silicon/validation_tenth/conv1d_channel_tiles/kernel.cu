// Eight signals of 2,048 places and 16 more; four output channels a thread.
constexpr int THREADS = 128 / PLACES * OT / 4, WIDE = 128 + TAPS - 1;

extern "C" __global__ void __launch_bounds__(THREADS)
conv1d_channel_tiles(const float* __restrict__ x, const float* __restrict__ w, float* __restrict__ y)
{
    __shared__ float xs[CHUNK * WIDE], ws[CHUNK * TAPS * OT];
    const int slot = threadIdx.x % (128 / PLACES), group = threadIdx.x / (128 / PLACES);
    const int l0 = blockIdx.x * 128, o0 = blockIdx.y * OT, n = blockIdx.z;
    float acc[4][PLACES] = {};
#pragma unroll 1
    for (int c0 = 0; c0 < 64; c0 += CHUNK) {
        __syncthreads();
        for (int i = threadIdx.x; i < CHUNK * WIDE; i += THREADS)
            xs[i] = x[(n * 64 + c0 + i / WIDE) * 2064 + l0 + i % WIDE];
        for (int i = threadIdx.x; i < CHUNK * TAPS * OT; i += THREADS) {
            const int o = i / (CHUNK * TAPS), ct = i % (CHUNK * TAPS);
            ws[ct * OT + o] = w[(o0 + o) * 64 * TAPS + c0 * TAPS + ct];
        }
        __syncthreads();
#pragma unroll
        for (int c = 0; c < CHUNK; ++c) {
            float f[PLACES + TAPS - 1];
#pragma unroll
            for (int i = 0; i < PLACES + TAPS - 1; ++i) f[i] = xs[c * WIDE + slot * PLACES + i];
#pragma unroll
            for (int t = 0; t < TAPS; ++t)
#pragma unroll
                for (int o = 0; o < 4; ++o) {
                    const float g = ws[(c * TAPS + t) * OT + group * 4 + o];
#pragma unroll
                    for (int i = 0; i < PLACES; ++i) acc[o][i] += g * f[t + i];
                }
        }
    }
#pragma unroll
    for (int o = 0; o < 4; ++o)
#pragma unroll
        for (int i = 0; i < PLACES; ++i) y[(n * 64 + o0 + group * 4 + o) * 2048 + l0 + slot * PLACES + i] = acc[o][i];
}
