// Six images of 56 x 56 pixels, 64 channels in and out; weights by output channel.
constexpr int AREA = 3136, IN = 64, OUT = 64;

struct alignas(PIXELS * 4) Pack { float v[PIXELS]; };

extern "C" __global__ void __launch_bounds__(112)
pointwise_conv_nchw(const Pack* __restrict__ x, const float* __restrict__ w, const float* __restrict__ bias,
                    Pack* __restrict__ y)
{
    const int pixel = blockIdx.x * 112 + threadIdx.x, first = blockIdx.y * OC_EACH;
#if WEIGHTS_SHARED
    __shared__ __align__(16) float ws[IN][OC_EACH];
    for (int i = threadIdx.x; i < IN * OC_EACH; i += 112) ws[i % IN][i / IN] = w[first * IN + i];
    __syncthreads();
#endif
    float acc[OC_EACH][PIXELS];
#pragma unroll
    for (int o = 0; o < OC_EACH; ++o)
#pragma unroll
        for (int p = 0; p < PIXELS; ++p) acc[o][p] = bias[first + o];
    const Pack* from = x + (size_t)blockIdx.z * IN * (AREA / PIXELS) + pixel;
#pragma unroll 8
    for (int c = 0; c < IN; ++c) {
        const Pack in = from[c * (AREA / PIXELS)];
#pragma unroll
        for (int o = 0; o < OC_EACH; ++o) {
#if WEIGHTS_SHARED
            const float f = ws[c][o];
#else
            const float f = w[(first + o) * IN + c];
#endif
#pragma unroll
            for (int p = 0; p < PIXELS; ++p) acc[o][p] += f * in.v[p];
        }
    }
#pragma unroll
    for (int o = 0; o < OC_EACH; ++o) {
        Pack out;
#pragma unroll
        for (int p = 0; p < PIXELS; ++p) out.v[p] = fmaxf(acc[o][p], 0.0f);
        y[((size_t)blockIdx.z * OUT + first + o) * (AREA / PIXELS) + pixel] = out;
    }
}
